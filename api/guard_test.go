package api_test

import (
	"testing"

	"flightdesk/api"
)

func TestWaitPanicsIfAFunctionOfTheGroupPanicked(t *testing.T) {
	var group api.Group
	done := false
	group.Go(func() { panic("no such row") })
	group.Go(func() { done = true })
	defer func() {
		p, ok := recover().(*api.PanicError)
		if !ok || p.Value != "no such row" || len(p.Stack) == 0 {
			t.Errorf("raised %+v", p)
		}
		if !done {
			t.Error("the other function is not waited for")
		}
	}()
	group.Wait()
}
