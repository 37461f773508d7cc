package main

import (
	"os"
	"syscall"
)

// resident returns the most memory that a process had, in bytes.
func resident(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss * 1024
	}
	return 0
}
