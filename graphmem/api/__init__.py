"""The public interface: the memory and its verbs, checks of arguments, opening and attaching."""
