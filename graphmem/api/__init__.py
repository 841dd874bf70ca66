"""The public interface: what a user holds, checked arguments, opening and attaching."""
