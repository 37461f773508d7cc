package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// arrive sends the first part of a sequence as the input library reports it, then each byte of the
// rest as a key. It returns the messages that the joiner passes on.
func arrive(j *sequenceJoiner, first tea.Msg, rest string, pause time.Duration) (left []tea.Msg) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	add := func(msg tea.Msg) {
		out, joined := j.add(msg, now, true)
		if out != nil {
			left = append(left, out)
		}
		if joined != nil {
			left = append(left, joined)
		}
	}
	add(first)
	now = now.Add(pause)
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '\a':
			add(tea.KeyPressMsg{Code: 'g', Mod: tea.ModCtrl})
		case rest[i] == '\x1b' && i+1 < len(rest):
			i++
			add(tea.KeyPressMsg{Code: rune(rest[i]), Mod: tea.ModAlt})
		default:
			add(tea.KeyPressMsg{Code: rune(rest[i]), Text: rest[i : i+1]})
		}
	}
	return left
}

func keysOf(msgs []tea.Msg) (keys string) {
	for _, msg := range msgs {
		if key, ok := msg.(tea.KeyPressMsg); ok && key.String() != "esc" {
			keys += key.String()
		}
	}
	return keys
}

func TestSequenceInTwoPartsDoesNotActAsKeys(t *testing.T) {
	for _, whole := range []string{
		"\x1b[?2026;2$y", "\x1b[?2027;2$y", "\x1b[12;40R", "\x1b[<35;40;12M", "\x1b[<0;1;1m", "\x1b[?1;2c", "\x1b[8;24;80t",
		"\x1b]11;rgb:ffff/0000/1234\a", "\x1b]11;rgb:ffff/0000/1234\x1b\\", "\x1bP>|xterm(388)\x1b\\", "\x1b_Gi=1;OK\x1b\\", "\x1b[13;1u",
	} {
		for at := 3; at < len(whole)-1; at++ {
			if whole[at-1] == '\x1b' || whole[at] == '\x1b' && at == len(whole)-1 {
				continue
			}
			var j sequenceJoiner
			left := arrive(&j, uv.UnknownEvent(whole[:at]), whole[at:], 60*time.Millisecond)
			if keys := keysOf(left); keys != "" {
				t.Errorf("%q | %q: keys %q", whole[:at], whole[at:], keys)
			}
			if j.unfinished != "" {
				t.Errorf("%q | %q: %q is still unfinished", whole[:at], whole[at:], j.unfinished)
			}
		}
	}
}

func TestSequenceCutAfterEscapeDoesNotActAsKeys(t *testing.T) {
	for _, first := range []tea.KeyPressMsg{{Code: tea.KeyEscape}, {Code: '[', Mod: tea.ModAlt}} {
		rest := "[<35;40;12M"
		if first.Mod == tea.ModAlt {
			rest = rest[1:]
		}
		var j sequenceJoiner
		if keys := keysOf(arrive(&j, first, rest, 60*time.Millisecond)); keys != "" {
			t.Errorf("%s and %q: keys %q", first, rest, keys)
		}
	}
}

func TestJoinedSequenceIsDecoded(t *testing.T) {
	var j sequenceJoiner
	left := arrive(&j, uv.UnknownEvent("\x1b[<35;40;1"), "2M", 60*time.Millisecond)
	motion, ok := left[len(left)-1].(uv.MouseMotionEvent)
	if !ok || motion.X != 39 || motion.Y != 11 {
		t.Errorf("the event is %#v", left)
	}
}

func TestKeysActAgainAfterSequenceTimeout(t *testing.T) {
	var j sequenceJoiner
	if keys := keysOf(arrive(&j, uv.UnknownEvent("\x1b[?20"), "n", 3*time.Second)); keys != "n" {
		t.Errorf("3 s later the keys are %q", keys)
	}
	j = sequenceJoiner{}
	if keys := keysOf(arrive(&j, tea.KeyPressMsg{Code: tea.KeyEscape}, "[", time.Second)); keys != "[" {
		t.Errorf("a second after esc the keys are %q", keys)
	}
	j = sequenceJoiner{}
	if keys := keysOf(arrive(&j, tea.KeyPressMsg{Code: tea.KeyEscape}, "jk", 0)); keys != "jk" {
		t.Errorf("after esc the keys are %q", keys)
	}
}

func TestEncodedKeysInPasteBecomeCharacters(t *testing.T) {
	for text, want := range map[string]string{
		"48.71, 9.11\x1b[13;1u48.72": "48.71, 9.11\n48.72",
		"a\x1b[9ub":                  "a\tb",
		"a\x1b[27;1;13~b":            "a\nb",
		"a\x1b[31mb":                 "a\x1b[31mb",
		"plain":                      "plain",
	} {
		if got := decodePaste(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
