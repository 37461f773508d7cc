package fetch

import (
	"os"
	"strings"
)

// bootID names this run of the system. What a process has written is there as
// long as the system runs, also when the process was killed.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
