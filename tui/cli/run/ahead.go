package run

// callsAhead is how many rows of a list are asked about at once, before the
// first of them is printed.
const callsAhead = 8

// Each walks what belongs to every row of another list, in that one's order.
// A few rows are asked about at once, so inside is called side by side; once
// the walk ends, no call is under way any more.
func Each[T, U any](all Rows[T], inside func(*T) ([]U, error)) Rows[U] {
	return func(yield func(*U, error) bool) {
		stop := make(chan struct{})
		answers := ahead(all, inside, stop)
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

// found is what belongs to a row.
type found[U any] struct {
	list []U
	err  error
}

// ahead asks about one row after the other until stop is closed or there is an
// error. The channel has a place for the answer to each, in their order.
func ahead[T, U any](all Rows[T], inside func(*T) ([]U, error), stop <-chan struct{}) <-chan chan found[U] {
	answers := make(chan chan found[U], callsAhead-1)
	go func() {
		defer close(answers)
		for row, err := range all {
			answer := make(chan found[U], 1)
			select {
			case <-stop:
			case answers <- answer:
			}
			select {
			case <-stop:
				close(answer)
				return
			default:
			}
			if err != nil {
				answer <- found[U]{nil, err}
				return
			}
			go func() {
				list, err := inside(row)
				answer <- found[U]{list, err}
			}()
		}
	}()
	return answers
}
