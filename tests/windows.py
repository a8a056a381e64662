"""Takes from a Python process what it would not have on Windows: written as sitecustomize.py, it is run by each one.

The standard library and numpy keep what they need on this machine.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys

for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "spwd", "crypt"):
    sys.modules[name] = None  # type: ignore[assignment]
for name in ("fork", "forkpty", "killpg", "getuid", "geteuid", "getgid", "getegid", "getpgid", "setpgid", "setsid",
             "getsid", "mkfifo", "nice", "sched_getaffinity", "statvfs", "chown", "getloadavg", "sysconf",
             "wait", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "pread", "fchmod", "ctermid"):  # fmt: skip
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGALRM", "SIGUSR1", "SIGQUIT", "SIGXFSZ", "pthread_sigmask", "setitimer", "alarm"):
    delattr(signal, name)
shutil._use_fd_functions = False  # type: ignore[attr-defined]


def _no_such_file(event: str, arguments: tuple) -> None:
    """No devices, no /proc, and folders cannot be opened."""
    path = arguments[0] if event == "open" else None
    if isinstance(path, str | bytes | os.PathLike):
        text = os.fsdecode(path)
        if text.startswith(("/dev/", "/proc/")) and text not in (os.devnull, "/dev/urandom"):
            raise FileNotFoundError(2, "No such file or directory", text)
        if os.path.isdir(text):
            raise PermissionError(13, "Permission denied", text)


sys.addaudithook(_no_such_file)


def _refusing_open_files(usual):
    """Nobody moves or removes what is open."""

    def call(path, *rest, **options):
        numbers = os.listdir("/proc/self/fd") if "dir_fd" not in options else []
        for number in numbers:
            place = f"/proc/self/fd/{number}"
            if os.path.exists(place) and os.path.exists(path) and os.path.samefile(place, path):
                raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
        return usual(path, *rest, **options)

    return call


for name in ("replace", "rename", "unlink", "remove"):
    setattr(os, name, _refusing_open_files(getattr(os, name)))


class _Popen(subprocess.Popen):  # type: ignore[type-arg]
    """Processes have neither groups nor files of their parents."""

    def __init__(self, *arguments, **options):
        assert not {"pass_fds", "preexec_fn", "start_new_session", "process_group", "user", "umask"} & {*options}
        super().__init__(*arguments, **options)


subprocess.Popen = _Popen  # type: ignore[misc]
