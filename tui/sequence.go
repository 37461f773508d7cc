package tui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// sequenceJoiner joins terminal sequences that arrive in parts. On a slow connection the reply to
// a query or a mouse report can be interrupted for longer than the input library waits. The
// library then reports the first part as unknown, and the rest as keys. The joiner collects these
// keys until the sequence ends, so that they never act as keys.
type sequenceJoiner struct {
	unfinished string    // the part that has arrived, or "" if no sequence is unfinished
	arrivedAt  time.Time // when the last byte of that part arrived
	escapeAt   time.Time // when the escape key was last pressed, zero after another key
}

const (
	// sequenceTimeout is how long the joiner waits for the next part of a sequence.
	sequenceTimeout = 2 * time.Second
	// A "[" continues a sequence if it arrives between minEscapeGap and maxEscapeGap after an
	// escape key. The input library waits minEscapeGap before it reports an escape key, and
	// nobody types faster than maxEscapeGap.
	minEscapeGap = 30 * time.Millisecond
	maxEscapeGap = 150 * time.Millisecond
	// maxSequence is the length of the longest sequence in bytes; a longer one is dropped.
	maxSequence = 4096
)

// add receives every message before the app does. rest is the message for the app: the same message, or nil if it is a
// key that is a part of a sequence. joined is the event of a sequence that is complete with this key, otherwise nil.
//
// Set awaited if the terminal may send a reply or a mouse report. Only then can the escape key be the first part of a
// sequence.
func (j *sequenceJoiner) add(msg tea.Msg, now time.Time, awaited bool) (rest tea.Msg, joined uv.Event) {
	switch msg := msg.(type) {
	case uv.UnknownEvent:
		j.start(string(msg), now)
		return msg, nil // the app ignores unknown events
	case tea.KeyPressMsg:
		if !j.isJoining(now) {
			return j.addFirst(msg, now, awaited), nil
		}
		return j.addNext(msg, now)
	default:
		return msg, nil
	}
}

// isJoining reports whether a sequence is unfinished. It drops a sequence whose next part has not
// arrived in time.
func (j *sequenceJoiner) isJoining(now time.Time) bool {
	if now.Sub(j.arrivedAt) > sequenceTimeout {
		j.unfinished = ""
	}
	return j.unfinished != ""
}

// addNext adds a key to the unfinished sequence and returns the results of add. A key that cannot be part of
// a sequence was pressed by the user, and ends the sequence.
func (j *sequenceJoiner) addNext(key tea.KeyPressMsg, now time.Time) (rest tea.Msg, joined uv.Event) {
	part := bytesOf(key)
	if part == "" {
		j.unfinished = ""
		return key, nil
	}
	j.arrivedAt = now
	j.unfinished += part
	if isUnfinished(j.unfinished) && len(j.unfinished) <= maxSequence {
		return nil, nil
	}
	sequence := j.unfinished
	j.unfinished = ""
	return nil, decodeSequence(sequence)
}

// decodeSequence returns the event of a sequence, or nil if it is not a single valid sequence.
func decodeSequence(sequence string) uv.Event {
	var decoder uv.EventDecoder
	n, event := decoder.Decode([]byte(sequence))
	if n != len(sequence) {
		return nil
	}
	return event
}

// addFirst handles a key while no sequence is unfinished. It returns the key, or nil if the key starts a
// sequence.
func (j *sequenceJoiner) addFirst(key tea.KeyPressMsg, now time.Time, awaited bool) tea.Msg {
	gap := now.Sub(j.escapeAt)
	followsEscape := awaited && gap >= minEscapeGap && gap <= maxEscapeGap
	j.escapeAt = time.Time{}
	switch key.String() {
	case "esc":
		j.escapeAt = now
	case "alt+[":
		j.start("\x1b[", now)
		return nil
	case "alt+]":
		j.start("\x1b]", now)
		return nil
	case "[":
		if followsEscape {
			j.start("\x1b[", now)
			return nil
		}
	}
	return key
}

// start begins a sequence with its first part, unless that part is already complete.
func (j *sequenceJoiner) start(part string, now time.Time) {
	if isUnfinished(part) {
		j.unfinished = part
		j.arrivedAt = now
	}
}

// bytesOf returns the bytes that a terminal sends for a key, or "" if the key cannot be a part of
// a sequence.
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

// isUnfinished reports whether text is the beginning of a control sequence, or of a control string
// such as a reply with a colour, without its end.
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
