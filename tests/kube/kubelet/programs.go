// Programs of a container: echo, ls, cat, stty, sleep and a few more, on a small tree of files; as in the embedded
// apiserver.
package main

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// files by path, with their contents; $HOSTNAME is the name of the pod.
var files = map[string]string{
	"/app/config.yaml":   "listen: 0.0.0.0:8080\nlog:\n  level: info\n",
	"/app/server":        "#!/bin/sh\nexec sleep 1000000\n",
	"/etc/hostname":      "$HOSTNAME\n",
	"/etc/hosts":         "127.0.0.1\tlocalhost\n10.0.0.7\t$HOSTNAME\n",
	"/etc/os-release":    "NAME=\"Simulated Linux\"\nID=simulated\nVERSION_ID=1\n",
	"/tmp/unicode ✓.txt": "grüß Gott, 🦀\n",
}

var directories = []string{"/", "/app", "/etc", "/root", "/tmp"}

// path seen from the shell's directory.
func (s *shell) path(to string) string {
	if path.IsAbs(to) {
		return path.Clean(to)
	}
	return path.Join(s.directory, to)
}

// program runs one by its name or path; false if there is none.
func (s *shell) program(words []string, print func(string), t *terminal) (code int, known bool) {
	arguments := words[1:]
	fail := func(text string) (int, bool) {
		t.complain(text + "\n")
		return 1, true
	}
	switch path.Base(words[0]) {
	case "echo":
		if len(arguments) > 0 && arguments[0] == "-n" {
			print(strings.Join(arguments[1:], " "))
		} else {
			print(strings.Join(arguments, " ") + "\n")
		}
	case "ls":
		return s.list(arguments, print, fail)
	case "cat":
		return s.cat(arguments, print, fail, t)
	case "seq":
		last, err := strconv.Atoi(append([]string{""}, arguments...)[len(arguments)])
		if err != nil {
			return fail("usage: seq LAST")
		}
		var text strings.Builder
		for number := 1; number <= min(last, 10_000_000); number++ {
			fmt.Fprintln(&text, number)
			if text.Len() > 8192 || number == last {
				print(text.String())
				text.Reset()
			}
		}
	case "sleep":
		seconds, err := strconv.ParseFloat(append(arguments, "")[0], 64)
		if err != nil {
			return fail("usage: sleep SECONDS")
		}
		if !t.sleep(time.Duration(seconds * float64(time.Second))) {
			return 130, true
		}
	case "stty":
		switch {
		case !t.tty:
			return fail("stty: standard input: Not a tty")
		case !slices.Equal(arguments, []string{"size"}):
			return fail("usage: stty size")
		}
		t.mutex.Lock()
		size := t.size
		t.mutex.Unlock()
		print(fmt.Sprintf("%d %d\n", size.Height, size.Width))
	case "pwd":
		print(s.directory + "\n")
	case "hostname":
		print(s.hostname + "\n")
	case "whoami":
		print("root\n")
	case "tty":
		if !t.tty {
			print("not a tty\n")
			return 1, true
		}
		print("/dev/pts/0\n")
	case "env":
		print("HOSTNAME=" + s.hostname + "\nHOME=/root\nPATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n")
	case "true", ":":
	case "false":
		return 1, true
	default:
		return 0, false
	}
	return 0, true
}

func (s *shell) list(arguments []string, print func(string), fail func(string) (int, bool)) (int, bool) {
	of := "."
	for _, argument := range slices.Backward(arguments) {
		if !strings.HasPrefix(argument, "-") {
			of = argument
		}
	}
	at := s.path(of)
	if _, isFile := files[at]; isFile {
		print(of + "\n")
		return 0, true
	}
	if !slices.Contains(directories, at) {
		return fail("ls: " + of + ": No such file or directory")
	}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	names = slices.DeleteFunc(append(names, directories...), func(name string) bool { return name == "/" || path.Dir(name) != at })
	slices.Sort(names)
	for _, name := range names {
		print(path.Base(name) + "\n")
	}
	return 0, true
}

func (s *shell) cat(arguments []string, print func(string), fail func(string) (int, bool), t *terminal) (code int, known bool) {
	for len(arguments) == 0 {
		switch what, line := t.line(); what {
		case aLine:
			print(line)
		case interrupted:
			return 130, true
		default:
			return 0, true
		}
	}
	for _, name := range arguments {
		at := s.path(name)
		if text, isFile := files[at]; isFile {
			print(strings.ReplaceAll(text, "$HOSTNAME", s.hostname))
		} else if slices.Contains(directories, at) {
			code, _ = fail("cat: read error: Is a directory")
		} else {
			code, _ = fail("cat: can't open '" + name + "': No such file or directory")
		}
	}
	return code, true
}
