package tui

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// looker is a program that looks for its own ticker once it runs, and quits.
type looker struct {
	program *tea.Program
	found   *time.Ticker
}

func (l *looker) Init() tea.Cmd { return func() tea.Msg { return "begin" } }

func (l *looker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if msg == "begin" {
		l.found = tickerOf(l.program)
		return l, tea.Quit
	}
	return l, nil
}

func (l *looker) View() tea.View { return tea.NewView("") }

func TestTheTickerOfAProgramIsFound(t *testing.T) {
	l := &looker{}
	l.program = tea.NewProgram(l, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(80, 24), tea.WithoutSignals())
	if tickerOf(l.program) != nil {
		t.Error("there is a ticker before the program runs")
	}
	if _, err := l.program.Run(); err != nil {
		t.Fatal(err)
	}
	if l.found == nil {
		t.Error("the library's ticker is not found: keys wait longer, and the app never rests")
	}
}

func TestTheTickerIsBriskAfterAViewAndRestsThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		p := pace{find: func() *time.Ticker { return ticker }}
		ticks := func(d time.Duration) (n int) {
			for end := time.After(d); ; {
				select {
				case <-ticker.C:
					n++
				case <-end:
					return n
				}
			}
		}
		for range 2 {
			p.wake()
			if n := ticks(10 * time.Millisecond); n < 9 {
				t.Errorf("%d ticks in the 10 ms after a view", n)
			}
			ticks(awakeTime)
			if n := ticks(10 * time.Minute); n > 0 {
				t.Errorf("%d ticks in ten idle minutes", n)
			}
		}
	})
}

func TestAProgramWithoutATickerIsLeftAlone(t *testing.T) {
	p := pace{find: func() *time.Ticker { return nil }}
	p.wake()
	if p.rest != nil {
		t.Error("something is timed although there is nothing to slow down")
	}
	(&pace{}).wake()
}
