package api

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic that was turned into an error by [CatchPanic].
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("internal error: %v", e.Value) }

// CatchPanic turns a panic into the error of the function that defers it:
//
//	defer api.CatchPanic(&err)
//
// A panic in a goroutine ends the process otherwise, whatever its terminal is
// in the middle of.
func CatchPanic(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{value, debug.Stack()}
	}
}

// Guard runs do and returns its error, or its panic as one.
func Guard(do func() error) (err error) {
	defer CatchPanic(&err)
	return do()
}
