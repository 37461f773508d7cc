package changes_test

import (
	"context"
	"testing"
	"time"

	"flightdesk/tui/app/changes"
)

// The change is found only with a context that has not ended.
func TestAnInterruptedSearchLooksOnceMore(t *testing.T) {
	for name, endsDuring := range map[string]string{
		"before the first look":   "",
		"during the first look":   "look 1",
		"during the first pause":  "pause 1",
		"during the second pause": "pause 2",
		"during the last look":    "look 3",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			defer end()
			if endsDuring == "" {
				end()
			}
			steps := map[string]int{}
			step := func(kind string) {
				steps[kind]++
				if endsDuring == kind+" "+string(rune('0'+steps[kind])) {
					end()
				}
			}
			schedule := changes.LookSchedule{
				Pauses: make([]time.Duration, 2),
				Wait: func(ctx context.Context, _ time.Duration) error {
					step("pause")
					return ctx.Err()
				},
			}
			hasEnded := func() bool { return ctx.Err() != nil }
			settled, err := schedule.LookRepeatedly(ctx, func(lookCtx context.Context) (bool, error) {
				isLast := hasEnded()
				step("look")
				if isLast && lookCtx.Err() == nil {
					return true, nil
				}
				return false, lookCtx.Err()
			})
			if !settled || err != nil {
				t.Errorf("settled %t, %v, after %v", settled, err, steps)
			}
		})
	}
}

func TestASearchThatIsNotInterruptedEndsWithTheLastPause(t *testing.T) {
	looks := 0
	schedule := changes.LookSchedule{Pauses: make([]time.Duration, 2)}
	settled, err := schedule.LookRepeatedly(t.Context(), func(context.Context) (bool, error) {
		looks++
		return false, nil
	})
	if settled || err != nil || looks != 3 {
		t.Errorf("settled %t, %v, after %d looks", settled, err, looks)
	}
}
