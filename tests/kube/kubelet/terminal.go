// Terminal of a process, or its plain streams: input as edited and echoed lines, and output.
package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

const (
	interruptKey = 0x03
	endKey       = 0x04
	backspaceKey = 0x08
	killKey      = 0x15
	escapeKey    = 0x1b
	deleteKey    = 0x7f
)

// input is the result of reading a line.
type input int

const (
	aLine input = iota
	interrupted
	noMore
)

// terminal is the standard streams of a process.
type terminal struct {
	ctx      context.Context
	out, err io.Writer
	tty      bool
	// Pieces of input; closed at the end.
	pieces chan []byte
	// Typed and not read.
	typed []byte
	ended bool

	mutex sync.Mutex
	size  remotecommand.TerminalSize
}

func newTerminal(ctx context.Context, in io.Reader, out, err io.Writer, tty bool, resize <-chan remotecommand.TerminalSize) *terminal {
	t := &terminal{ctx: ctx, out: out, err: err, tty: tty, pieces: make(chan []byte)}
	go func() {
		defer close(t.pieces)
		for in != nil {
			buffer := make([]byte, 4096)
			n, failed := in.Read(buffer)
			if n > 0 {
				select {
				case t.pieces <- buffer[:n]:
				case <-ctx.Done():
					return
				}
			}
			if failed != nil {
				return
			}
		}
	}()
	go func() {
		for size := range resize {
			t.mutex.Lock()
			t.size = size
			t.mutex.Unlock()
		}
	}()
	return t
}

func (t *terminal) write(to io.Writer, text string) {
	if to == nil {
		return
	}
	if t.tty {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	// The client may have disconnected.
	_, _ = io.WriteString(to, text)
}

func (t *terminal) print(text string) { t.write(t.out, text) }

// complain writes to stderr, which on a terminal is the same.
func (t *terminal) complain(text string) {
	if t.tty {
		t.write(t.out, text)
	} else {
		t.write(t.err, text)
	}
}

func (t *terminal) byte() (byte, bool) {
	for len(t.typed) == 0 {
		piece, more := <-t.pieces
		if t.ended = t.ended || !more; t.ended {
			return 0, false
		}
		t.typed = append(t.typed, piece...)
	}
	first := t.typed[0]
	t.typed = t.typed[1:]
	return first, true
}

// line is the next one, with its end if it has one.
func (t *terminal) line() (input, string) {
	var line []byte
	for {
		key, more := t.byte()
		if !more {
			if len(line) == 0 {
				return noMore, ""
			}
			return aLine, string(line)
		}
		if !t.tty {
			if line = append(line, key); key == '\n' {
				return aLine, string(line)
			}
			continue
		}
		switch {
		case key == '\r' || key == '\n':
			t.print("\n")
			return aLine, string(line) + "\n"
		case key == interruptKey:
			t.print("^C\n")
			return interrupted, ""
		case key == endKey:
			if len(line) == 0 {
				return noMore, ""
			}
		case key == backspaceKey || key == deleteKey:
			if len(line) > 0 {
				_, size := utf8.DecodeLastRune(line)
				line = line[:len(line)-size]
				t.print("\b \b")
			}
		case key == killKey:
			t.print(strings.Repeat("\b \b", utf8.RuneCount(line)))
			line = nil
		case key == escapeKey:
			t.skip()
		default:
			line = append(line, key)
			t.print(string([]byte{key}))
		}
	}
}

// skip ignores a key that moves the cursor.
func (t *terminal) skip() {
	if key, _ := t.byte(); key != '[' {
		return
	}
	for {
		if key, more := t.byte(); !more || (key >= 0x40 && key <= 0x7e) {
			return
		}
	}
}

// sleep waits; false if Ctrl-C came first. Other input is read later.
func (t *terminal) sleep(duration time.Duration) bool {
	done := time.After(duration)
	for {
		if t.tty && bytes.IndexByte(t.typed, interruptKey) >= 0 {
			t.typed = nil
			t.print("^C\n")
			return false
		}
		pieces := t.pieces
		if t.ended {
			pieces = nil
		}
		select {
		case <-done:
			return true
		case <-t.ctx.Done():
			return false
		case piece, more := <-pieces:
			t.ended = !more
			t.typed = append(t.typed, piece...)
		}
	}
}
