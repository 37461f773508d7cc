package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// sequenceJoiner puts terminal sequences together that arrive in parts. On a slow line the
// reply to a query or a mouse report can be interrupted for longer than the input library
// waits; it then reports the first part as unknown and the rest as keys. The joiner collects
// these keys until the sequence ends, so that they never act as keys.
type sequenceJoiner struct {
	unfinished string    // the part that has arrived, "" if no sequence is unfinished
	arrived    time.Time // when its last byte arrived
	escapeAt   time.Time // when the escape key was pressed last
}

const (
	// sequenceTimeout is how long the joiner waits for the next part of a sequence.
	sequenceTimeout = 2 * time.Second
	// A "[" continues a sequence if it comes after an escape key in this time: the input
	// library waits for the shorter one before it reports the key, and nobody types faster
	// than the longer one.
	minEscapeGap = 30 * time.Millisecond
	maxEscapeGap = 150 * time.Millisecond
	// maxSequence bounds a sequence; a longer one is dropped.
	maxSequence = 4096
)

// add handles a message. It returns the message unless that is a part of a sequence, and with
// the last part of a sequence the event that the whole sequence stands for. awaited says that
// replies or mouse reports are expected, so that an escape key may be the start of one.
func (j *sequenceJoiner) add(msg tea.Msg, now time.Time, awaited bool) (rest tea.Msg, joined uv.Event) {
	if unknown, ok := msg.(uv.UnknownEvent); ok {
		j.start(string(unknown), now)
		return msg, nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return msg, nil
	}
	if j.unfinished != "" && now.Sub(j.arrived) > sequenceTimeout {
		j.unfinished = ""
	}
	if j.unfinished == "" {
		return j.addFirst(key, now, awaited), nil
	}
	part := bytesOf(key)
	if part == "" {
		j.unfinished = ""
		return msg, nil
	}
	j.arrived = now
	j.unfinished += part
	if isUnfinished(j.unfinished) && len(j.unfinished) <= maxSequence {
		return nil, nil
	}
	whole := j.unfinished
	j.unfinished = ""
	var decoder uv.EventDecoder
	n, event := decoder.Decode([]byte(whole))
	if n != len(whole) {
		return nil, nil
	}
	return nil, event
}

// addFirst handles a key while no sequence is unfinished.
func (j *sequenceJoiner) addFirst(key tea.KeyPressMsg, now time.Time, awaited bool) tea.Msg {
	name := key.String()
	gap := now.Sub(j.escapeAt)
	afterEscape := awaited && gap >= minEscapeGap && gap <= maxEscapeGap
	j.escapeAt = time.Time{}
	switch {
	case name == "esc":
		j.escapeAt = now
	case name == "alt+[" || name == "alt+]":
		j.start("\x1b"+strings.TrimPrefix(name, "alt+"), now)
		return nil
	case name == "[" && afterEscape:
		j.start("\x1b[", now)
		return nil
	}
	return key
}

// start begins a sequence with its first part, unless that is whole.
func (j *sequenceJoiner) start(part string, now time.Time) {
	if isUnfinished(part) {
		j.unfinished = part
		j.arrived = now
	}
}

// bytesOf returns what a terminal sent for a key, or "" if the key cannot be a part of a
// sequence.
func bytesOf(key tea.KeyPressMsg) string {
	if key.Text != "" {
		return key.Text
	}
	switch key.String() {
	case "ctrl+g":
		return "\a"
	case "alt+\\":
		return "\x1b\\"
	}
	return ""
}

// isUnfinished reports whether text is the beginning of a control sequence or of a control
// string, such as a reply with a colour.
func isUnfinished(text string) bool {
	if len(text) < 2 || text[0] != '\x1b' {
		return false
	}
	body := text[2:]
	switch text[1] {
	case '[':
		return strings.IndexFunc(body, func(r rune) bool { return r < ' ' || r >= '@' }) < 0
	case ']', 'P', '_', '^', 'X':
		return !strings.HasSuffix(body, "\a") && !strings.HasSuffix(body, "\x1b\\")
	}
	return false
}
