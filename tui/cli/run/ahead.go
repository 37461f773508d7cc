package run

import (
	"flightdesk/api"
	"flightdesk/tui/app/guard"
)

// callsAhead is how many rows of a list are asked about at once, before the
// first of them is printed.
const callsAhead = 8

// EachOf walks what belongs to every row of another list, in that one's order.
// A few rows are asked about at once, so inside is called side by side; once
// the walk ends, no call is under way any more.
func EachOf[T, U any](all Rows[T], inside func(*T) ([]U, error)) Rows[U] {
	return func(yield func(*U, error) bool) {
		stop := make(chan struct{})
		answers := readAhead(all, inside, stop)
		defer func() {
			close(stop)
			for answer := range answers {
				<-answer
			}
		}()
		for answer := range answers {
			found := <-answer
			for i := range found.list {
				if !yield(&found.list[i], nil) {
					return
				}
			}
			if found.err != nil {
				yield(nil, found.err)
				return
			}
		}
	}
}

// Single returns what belongs to a row where that is one value.
func Single[T any](value *T, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	return []T{*value}, nil
}

// foundRow is what belongs to a row.
type foundRow[U any] struct {
	list []U
	err  error
}

// readAhead asks about one row after the other until stop is closed or there is an
// error. The channel has a place for the answer to each, in their order.
func readAhead[T, U any](all Rows[T], inside func(*T) ([]U, error), stop <-chan struct{}) <-chan chan foundRow[U] {
	answers := make(chan chan foundRow[U], callsAhead-1)
	place := func() (answer chan foundRow[U], goesOn bool) {
		answer = make(chan foundRow[U], 1)
		select {
		case <-stop:
		case answers <- answer:
		}
		select {
		case <-stop:
			close(answer)
			return answer, false
		default:
			return answer, true
		}
	}
	guard.Go(func() error {
		defer close(answers)
		err := api.Guard(func() error {
			for row, err := range all {
				if err != nil {
					return err
				}
				answer, goesOn := place()
				if !goesOn {
					return nil
				}
				guard.Go(func() error {
					var list []U
					err := api.Guard(func() (err error) { list, err = inside(row); return err })
					answer <- foundRow[U]{list, err}
					return nil
				})
			}
			return nil
		})
		if err == nil {
			return nil
		}
		if answer, goesOn := place(); goesOn {
			answer <- foundRow[U]{nil, err}
		}
		return nil
	})
	return answers
}
