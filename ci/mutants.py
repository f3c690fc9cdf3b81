# SPDX-License-Identifier: BSD-2-Clause
"""Finds the mutants of a source file, and writes one that holds all of them.

In that one each function has its body once for each mutant in it and once as it
was. The environment chooses when a program starts: GG_MUTANT=FILE:K is the k-th
of a file. So mutants are built once, all together, and trying one is a run of
the tests. With GG_MUTANTS_SEEN=PATH each function adds a line to that file when
it is first called.
"""
import re
from collections import namedtuple

# A line `at` of a file, as it is and as it would be, in function `where`.
Mutant = namedtuple("Mutant", "file at old new where")

# In code: a pattern and what takes its place.
OPERATORS = [
    (r" == ", " != "), (r" != ", " == "),
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ 1\b", ""), (r" - 1\b", ""),
    (r"^(\s+(?:else )?if) \((.*)\)( \{)?$", r"\1 (0 && (\2))\3"),
    (r"^\s+GA_(?:TRY|CHECK)\((.*)\);$", r"  (void)(\1);"),
    (r"^\s+(?:unlink|close|ga__file_remove|remove_name)\(.*\);$", "  ;"),
    (r" \| O_EXCL\b", ""),
]
SKIP = re.compile(r"^\s*(\*|/\*|//|#|case |static const|\})|for \(|assert|ga__free")

# What chooses: without functions that tests replace, and without headers that
# depend on feature macros.
CHOOSE = """\
#include <sys/syscall.h>
#include <errno.h>
char *getenv(const char *);
long syscall(long, ...);
static const char *mutants_seen;
static int mutant_chosen;
__attribute__((constructor)) static void mutant_choose(void) {
  static const char file[] = "%(file)s:";
  const char *s = getenv("GG_MUTANT");
  mutants_seen = getenv("GG_MUTANTS_SEEN");
  if (s == 0 || __builtin_strncmp(s, file, sizeof file - 1) != 0)
    return;
  for (s += sizeof file - 1; *s >= '0' && *s <= '9'; s++)
    mutant_chosen = mutant_chosen * 10 + (*s - '0');
}
__attribute__((noinline)) static int mutant_in(int where) {
  static char seen[%(functions)d];
  static const char line[] = "%(file)s:0000\\n";
  if (mutants_seen != 0 && !seen[where]) {
    const int was = errno;
    char text[sizeof line];
    seen[where] = 1;
    __builtin_memcpy(text, line, sizeof line);
    for (int k = 0, n = where; k < 4; k++, n /= 10)
      text[sizeof line - 3 - k] = (char)('0' + n %% 10);
    long fd = syscall(SYS_openat, -100, mutants_seen, 02001, 0);
    if (fd >= 0) {
      syscall(SYS_write, fd, text, sizeof line - 1);
      syscall(SYS_close, fd);
    }
    errno = was;
  }
  return mutant_chosen;
}
"""


def functions(lines):
    """The bodies of a file's functions: (first line, the line of the last brace)."""
    first, k = None, 0
    while k < len(lines):
        if re.match(r"[A-Za-z_]", lines[k]):
            first = k
        if first is not None and lines[k].endswith(";"):
            first = None
        if first is not None and lines[k].endswith("{"):
            head = " ".join(lines[first:k + 1])
            end = next((n for n in range(k, len(lines)) if lines[n].startswith("}")), k)
            if end > k and re.search(r"\) \{$", head) and " = " not in head:
                yield k + 1, end
            first, k = None, end
        k += 1


def in_comments(lines):
    """The numbers of lines that a comment touches, but for one behind code."""
    inside = False
    for k, line in enumerate(lines):
        begins = "/*" in line and "*/" not in line
        if inside or begins or line.lstrip().startswith("/*"):
            yield k
        inside = (inside or begins) and "*/" not in line


def mutants(path):
    """All mutants of a file."""
    lines = open(path).read().split("\n")
    comments = set(in_comments(lines))
    for where, (first, end) in enumerate(functions(lines)):
        for at in range(first, end):
            line = lines[at]
            if at in comments or SKIP.search(line):
                continue
            for pattern, value in OPERATORS:
                for m in re.finditer(pattern, line):
                    if line[: m.start()].count('"') % 2 == 0:
                        new = line[: m.start()] + m.expand(value) + line[m.end():]
                        yield Mutant(path, at, line, new, where)


def labelled(body):
    """A block of its own, so that each body may have the same labels."""
    labels = {m[1] for m in map(re.compile(r"^\s*(\w+):$").match, body) if m}
    labels -= {"default"}
    return ["{", *(f"__label__ {label};" for label in sorted(labels)), *body, "}"]


def switched(path, found):
    """The text of the file with its mutants {k: Mutant}, and for each line of it
    the k of the mutant whose body it is in."""
    lines = open(path).read().split("\n")
    bodies = list(functions(lines))
    text = (CHOOSE % {"file": path, "functions": len(bodies) + 1}).split("\n")[:-1]
    owner = [None] * len(text)
    done = 0

    def add(new, of=None):
        text.extend(new)
        owner.extend([of] * len(new))

    for where, (first, end) in enumerate(bodies):
        add(lines[done:first])
        add([f"switch (mutant_in({where})) {{"])
        for k, m in found.items():
            if m.where == where:
                body = lines[first:m.at] + [m.new] + lines[m.at + 1:end]
                add([f"case {k}:", *labelled(body), "break;"], k)
        add(["default:", *labelled(lines[first:end]), "}"])
        done = end
    add(lines[done:])
    return "\n".join(text), owner
