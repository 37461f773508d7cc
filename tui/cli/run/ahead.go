package run

import "flightdesk/tui/app/guard"

// callsAhead is how many rows of a list are asked about at once, before the
// first of them is printed.
const callsAhead = 8

// foundRow is what belongs to a row, once done brings its error.
type foundRow[U any] struct {
	list []U
	done <-chan error
}

// EachOf walks what belongs to every row of another list, in that one's order.
// A few rows are asked about at once, so inside is called side by side; once
// the walk ends, no call is under way any more.
func EachOf[T, U any](all Rows[T], inside func(*T) ([]U, error)) Rows[U] {
	return func(yield func(*U, error) bool) {
		var ahead []*foundRow[U]
		yieldFirst := func() bool {
			first := ahead[0]
			ahead = ahead[1:]
			err := <-first.done
			for i := range first.list {
				if !yield(&first.list[i], nil) {
					return false
				}
			}
			if err != nil {
				yield(nil, err)
			}
			return err == nil
		}
		defer func() {
			for _, row := range ahead {
				<-row.done
			}
		}()
		for row, err := range all {
			found := &foundRow[U]{}
			found.done = guard.Go(func() error {
				if err == nil {
					found.list, err = inside(row)
				}
				return err
			})
			if ahead = append(ahead, found); len(ahead) == callsAhead && !yieldFirst() {
				return
			}
		}
		for len(ahead) > 0 && yieldFirst() {
			continue
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
