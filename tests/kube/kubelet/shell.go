// Shell: lists of commands with ;, && and ||, quotes, $?, and a prompt on a terminal; as in the embedded apiserver.
package main

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// exitError is the exit code of a process that ended in one.
type exitError int

func (e exitError) Error() string   { return fmt.Sprintf("exit status %d", int(e)) }
func (e exitError) String() string  { return e.Error() }
func (e exitError) Exited() bool    { return true }
func (e exitError) ExitStatus() int { return int(e) }

func ended(code int) error {
	if code == 0 {
		return nil
	}
	return exitError(code)
}

// shell is the state of a shell.
type shell struct {
	hostname, directory string
	// Exit code of the last command.
	last int
}

// run does a command as a runtime does: a shell, or a program without one.
func run(command []string, hostname string, t *terminal) error {
	s := &shell{hostname: hostname, directory: "/"}
	if len(command) == 0 {
		return fmt.Errorf("no command")
	}
	if !slices.Contains([]string{"sh", "bash", "ash"}, path.Base(command[0])) {
		code, known := s.program(command, t.print, t)
		if !known {
			return fmt.Errorf("exec: %q: executable file not found in $PATH", command[0])
		}
		return ended(code)
	}
	for at, argument := range command[:len(command)-1] {
		if strings.HasPrefix(argument, "-") && strings.HasSuffix(argument, "c") {
			for _, line := range strings.Split(command[at+1], "\n") {
				if code, exits := s.line(line, t); exits {
					return ended(code)
				}
			}
			return ended(s.last)
		}
	}
	return ended(s.interactive(t))
}

func (s *shell) interactive(t *terminal) int {
	for {
		if t.tty {
			t.print(s.directory + " # ")
		}
		switch what, line := t.line(); what {
		case aLine:
			if code, exits := s.line(line, t); exits {
				return code
			}
		case interrupted:
			s.last = 130
		default:
			return s.last
		}
	}
}

// command is one of a list.
type command struct {
	// Operator between it and the previous one: "", "&&" or "||".
	join  string
	words []string
}

// line carries one out; the exit code if the shell is to end.
func (s *shell) line(line string, t *terminal) (int, bool) {
	commands, err := split(line, s.last)
	if err != nil {
		t.complain("sh: " + err.Error() + "\n")
		s.last = 2
		return 0, false
	}
	for _, one := range commands {
		if (one.join == "&&" && s.last != 0) || (one.join == "||" && s.last == 0) {
			continue
		}
		print := t.print
		words := slices.DeleteFunc(one.words, func(word string) bool { return word == ">&2" || word == "1>&2" })
		if len(words) < len(one.words) {
			print = t.complain
		}
		switch {
		case len(words) == 0:
		case words[0] == "exit" && len(words) == 1:
			return s.last, true
		case words[0] == "exit":
			code, err := strconv.Atoi(words[1])
			if err != nil {
				t.complain("sh: exit: Illegal number: " + words[1] + "\n")
				return 2, true
			}
			return code & 0xff, true
		case words[0] == "cd":
			s.change(append(words, "/root")[1], t)
		default:
			code, known := s.program(words, print, t)
			if s.last = code; !known {
				t.complain("sh: " + words[0] + ": not found\n")
				s.last = 127
			}
		}
	}
	return 0, false
}

func (s *shell) change(to string, t *terminal) {
	if at := s.path(to); slices.Contains(directories, at) {
		s.directory, s.last = at, 0
		return
	}
	t.complain("sh: cd: can't cd to " + to + ": No such file or directory\n")
	s.last = 1
}

// split takes a line apart. Quotes join words, $? is the last exit code.
func split(line string, last int) (commands []command, err error) {
	letters := []rune(strings.TrimSpace(strings.ReplaceAll(line, "$?", strconv.Itoa(last))))
	now := command{}
	word, inWord := "", false
	endWord := func() {
		if inWord {
			now.words = append(now.words, word)
		}
		word, inWord = "", false
	}
	endCommand := func(join string) {
		endWord()
		if len(now.words) > 0 {
			commands = append(commands, now)
		}
		now = command{join: join}
	}
	for at := 0; at < len(letters); at++ {
		switch letter := letters[at]; {
		case letter == '\'' || letter == '"':
			inWord = true
			for at++; ; at++ {
				if at >= len(letters) {
					return nil, fmt.Errorf("syntax error: unterminated quoted string")
				}
				if letters[at] == letter {
					break
				}
				if letters[at] == '\\' && letter == '"' && at+1 < len(letters) {
					at++
				}
				word += string(letters[at])
			}
		case letter == '\\' && at+1 < len(letters):
			at++
			word, inWord = word+string(letters[at]), true
		case letter == '#' && !inWord:
			endCommand("")
			return commands, nil
		case letter == ' ' || letter == '\t':
			endWord()
		case letter == ';':
			endCommand("")
		case (letter == '&' || letter == '|') && at+1 < len(letters) && letters[at+1] == letter:
			at++
			join := strings.Repeat(string(letter), 2)
			if endWord(); len(now.words) == 0 {
				return nil, fmt.Errorf("syntax error: unexpected %q", join)
			}
			endCommand(join)
		default:
			word, inWord = word+string(letter), true
		}
	}
	endCommand("")
	return commands, nil
}
