package cli

import (
	"flightdesk/api"
)

// maxParallelCalls is the largest number of calls that eachOf runs at the same time.
const maxParallelCalls = 8

// expandedRow is a call of a function for one row of a list, which runs in the background or has ended. See eachOf.
type expandedRow[U any] struct {
	list []U          // may be read after receiving from done
	done <-chan error // sends the error of the call, or nil, when the call ends
}

// startExpanding starts to call expand with a row in the background. If err, the error of reading the row, is not
// nil, expand is not called, and the call ends with err.
func startExpanding[T, U any](row T, err error, expand func(T) ([]U, error)) *expandedRow[U] {
	expanded := &expandedRow[U]{}
	expanded.done = api.Go(func() error {
		if err != nil {
			return err
		}
		var expandErr error
		expanded.list, expandErr = expand(row)
		return expandErr
	})
	return expanded
}

// yieldTo waits until the call has ended, and yields the elements of its list and then its error, if there is one. It
// returns false if yield does not want more.
func (r *expandedRow[U]) yieldTo(yield func(*U, error) bool) bool {
	err := <-r.done
	for i := range r.list {
		if !yield(&r.list[i], nil) {
			return false
		}
	}
	if err != nil {
		return yield(nil, err)
	}
	return true
}

// eachOf calls expand for each row of a list, for example to read the missions of each order. It yields the elements
// of all results in the order of the rows. Up to maxParallelCalls calls run at the same time. When the returned
// iterator ends, no call is running.
func eachOf[T, U any](rows Rows[T], expand func(T) ([]U, error)) Rows[*U] {
	return func(yield func(*U, error) bool) {
		var running expandQueue[U]
		defer running.wait()
		for row, err := range rows {
			running = append(running, startExpanding(row, err, expand))
			isFull := len(running) == maxParallelCalls
			if isFull && !running.takeFirst().yieldTo(yield) {
				return
			}
		}
		for len(running) > 0 {
			if !running.takeFirst().yieldTo(yield) {
				return
			}
		}
	}
}

// expandQueue has the calls whose results have not been yielded yet, in the order of the rows.
type expandQueue[U any] []*expandedRow[U]

// takeFirst removes the first call from the queue and returns it.
func (q *expandQueue[U]) takeFirst() *expandedRow[U] {
	first := (*q)[0]
	*q = (*q)[1:]
	return first
}

// wait waits until all calls in the queue have ended.
func (q *expandQueue[U]) wait() {
	for _, row := range *q {
		<-row.done
	}
}

// singleValue returns a list with the value, and err, the error of reading it. If err means that only a part of
// the value is missing, the list still has the value. After any other error the list is nil.
func singleValue[T any](value T, err error) ([]T, error) {
	if err != nil && !api.IsPartial(err) {
		return nil, err
	}
	return []T{value}, err
}
