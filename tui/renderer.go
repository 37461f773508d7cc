package tui

import (
	"reflect"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// Bubble Tea writes to the terminal when its ticker says so, and never stops
// ticking: at its fastest a key waits 4 ms for the next tick, and an app that
// does nothing still wakes 120 times a second. The library has no setting for
// either. The ticker can be told another pace while it runs, though.
const (
	brisk     = time.Millisecond      // while something has just been drawn
	resting   = time.Hour             // while nothing has
	awakeTime = 40 * time.Millisecond // from the last View to resting
)

// pace makes the ticker of a program quick after each View, and lets it rest
// when none has come for a while. The zero value leaves the program alone.
type pace struct {
	find func() *time.Ticker // the ticker, nil before there is one
	rest *time.Timer
}

// newPace returns the pace of a program that is about to run.
func newPace(p *tea.Program) *pace {
	return &pace{find: func() *time.Ticker { return tickerOf(p) }}
}

// tickerOf returns the ticker of a running program. The field has no name that
// other packages may use; nil where a later version of the library has none.
// The program makes it before the first message, in the goroutine that calls
// View.
func tickerOf(p *tea.Program) *time.Ticker {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(unsafe.Pointer(f.UnsafeAddr()))
}

// wake is called in View: what it returns is to be written at once.
func (p *pace) wake() {
	if p.find == nil {
		return
	}
	ticker := p.find()
	if ticker == nil {
		return
	}
	ticker.Reset(brisk)
	if p.rest == nil {
		p.rest = time.AfterFunc(awakeTime, func() { ticker.Reset(resting) })
		return
	}
	p.rest.Reset(awakeTime)
}
