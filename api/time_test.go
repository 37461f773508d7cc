package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"flightdesk/api"
)

// Times in UTC sort as texts; other times keep their offset.
func TestTimesAreWrittenWithThreeDecimals(t *testing.T) {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for want, at := range map[string]time.Time{
		"2026-05-01T12:00:00.000Z":      noon,
		"2026-05-01T12:00:00.130Z":      noon.Add(130 * time.Millisecond),
		"2026-05-01T12:00:00.131Z":      noon.Add(131*time.Millisecond + 987*time.Microsecond),
		"2026-05-01T17:30:00+05:30":     noon.In(time.FixedZone("", 5*3600+1800)),
		"2026-05-01T17:30:00.125+05:30": noon.Add(125 * time.Millisecond).In(time.FixedZone("", 5*3600+1800)),
	} {
		if got, err := json.Marshal(api.TimeOf(at)); err != nil || string(got) != `"`+want+`"` {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}
