from cpython.buffer cimport PyBUF_WRITE
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from cpython.memoryview cimport PyMemoryView_FromMemory

cdef extern from *:
    """
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    static void hemlp_large_pages(char* start, size_t size) {
    #if defined(MADV_HUGEPAGE)
        size_t before = -(size_t)start % (1 << 21);
        if (size >= before + (1 << 21))
            (void)madvise(start + before, (size - before) >> 21 << 21, MADV_HUGEPAGE);
    #endif
    }
    """
    void large_pages "hemlp_large_pages"(char* start, size_t size) noexcept
