# Read right after llama.cpp's project() (CMAKE_PROJECT_llama.cpp_INCLUDE). The wrapper asks for its
# library of command-line helpers, 57 of the 140 files, and puts it nowhere that
# anything loads it from.
set(LLAMA_BUILD_COMMON OFF CACHE BOOL "" FORCE)
