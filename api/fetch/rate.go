package fetch

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var rateForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([kKmMgG]?)(i?)[bB]?(?:/s)?$`)

// ParseRate reads bytes per second as people write them: 500kB, 10MB, 1.5M,
// 2MiB/s. Letters are decimal units, those with an i binary ones.
func ParseRate(s string) (int64, error) {
	m := rateForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, fmt.Errorf("%q is not a valid rate; use 500kB or 10MB", s)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	step := 1000.0
	if m[3] != "" {
		step = 1024
	}
	for range map[string]int{"": 0, "K": 1, "M": 2, "G": 3}[strings.ToUpper(m[2])] {
		n *= step
	}
	if err != nil || n < 1 || n > 1e15 {
		return 0, fmt.Errorf("%q is out of range; omit it for no limit", s)
	}
	return int64(n), nil
}
