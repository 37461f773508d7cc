package cli

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
)

func counted(n int) Rows[*int] {
	return func(yield func(*int, error) bool) {
		for i := range n {
			if !yield(&i, nil) {
				return
			}
		}
	}
}

// Calls run at the same time, but their results keep the order of the rows.
func TestEachOfCallsAheadAndKeepsTheOrder(t *testing.T) {
	const n = 3 * maxParallelCalls
	var all [n]chan struct{}
	for i := range all {
		all[i] = make(chan struct{})
	}
	var now, most atomic.Int32
	answers := eachOf(counted(n), func(i *int) ([]int, error) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		if last := *i%maxParallelCalls == maxParallelCalls-1; last { // the last call of a batch returns first
			close(all[*i])
		} else {
			<-all[*i+1]
			close(all[*i])
		}
		return []int{*i, -*i}, nil
	})
	var got []int
	for v, err := range answers {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, *v)
	}
	var want []int
	for i := range n {
		want = append(want, i, -i)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if m := most.Load(); m < 2 || m > maxParallelCalls+1 {
		t.Errorf("%d at once", m)
	}
}

func TestEachOfContinuesAfterAFailedCall(t *testing.T) {
	broken := errors.New("broken")
	answers := eachOf(counted(100), func(i *int) ([]int, error) {
		if *i == 3 {
			return nil, broken
		}
		return []int{*i}, nil
	})
	var want []int
	for i := range 100 {
		if i != 3 {
			want = append(want, i)
		}
	}
	got, last := collectAnswers(answers)
	if !slices.Equal(got, want) || !errors.Is(last, broken) {
		t.Errorf("%v, %v", got, last)
	}
}

func TestEachOfPassesOnErrorsOfTheList(t *testing.T) {
	broken := errors.New("broken")
	answers := eachOf(func(yield func(*int, error) bool) {
		for i := range 3 {
			yield(&i, nil)
		}
		yield(nil, broken)
	}, func(i *int) ([]int, error) { return []int{*i}, nil })
	got, last := collectAnswers(answers)
	if !slices.Equal(got, []int{0, 1, 2}) || !errors.Is(last, broken) {
		t.Errorf("%v, %v", got, last)
	}
}

// collectAnswers returns the values and the last error of an iterator.
func collectAnswers(answers Rows[*int]) (got []int, fault error) {
	for v, err := range answers {
		if err != nil {
			fault = err
			continue
		}
		got = append(got, *v)
	}
	return got, fault
}

// If the caller stops early, no call is left running and few calls were made.
func TestEachOfStopsWithItsCaller(t *testing.T) {
	var calls, now atomic.Int32
	for v := range eachOf(counted(1000), func(i *int) ([]int, error) {
		calls.Add(1)
		now.Add(1)
		defer now.Add(-1)
		return []int{*i}, nil
	}) {
		if *v == 4 {
			break
		}
	}
	if n := now.Load(); n != 0 {
		t.Errorf("%d calls are still under way", n)
	}
	if n := calls.Load(); n > 5+maxParallelCalls+1 {
		t.Errorf("%d calls", n)
	}
}
