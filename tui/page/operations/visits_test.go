package operations

import (
	"context"
	"testing"

	"flightdesk/api/ops"
	"flightdesk/tui/app/session"
	"flightdesk/tui/page"
)

// testRoom is a training room in which notes reach a fixed number of participants.
type testRoom struct {
	reached int
	refusal string
}

func (r testRoom) Visits() []session.Visit                        { return nil }
func (r testRoom) Tell(context.Context, int, string) (int, error) { return r.reached, nil }
func (r testRoom) Play(context.Context, string) (int, error)      { return 0, nil }
func (r testRoom) Restart(context.Context, string) error          { return nil }
func (r testRoom) RestartRefusal(string) string                   { return r.refusal }

func TestANoteIsSentToThoseWhoReceiveIt(t *testing.T) {
	d := newTestTools(t, "http://127.0.0.1:1")
	for _, c := range []struct {
		number, reached int
		want            string
	}{
		{0, 3, "Note sent to 3 participants"},
		{0, 0, "Note not delivered: no connected participant received it"},
		{7, 1, "Note sent to user1"},
		{7, 0, "Note not delivered: user1 is gone, or their terminal does not respond"},
	} {
		d.env.Profile.Room = testRoom{reached: c.reached}
		result := d.sendNote(c.number, "user1", "Lunch at noon")().(page.ToPage)
		if toast := result.Do()().(page.ToastMsg); toast.Text != c.want {
			t.Errorf("%q, want %q", toast.Text, c.want)
		}
	}
}

func TestASharedAccountIsNotOfferedForReset(t *testing.T) {
	d := newTestTools(t, "http://127.0.0.1:1")
	d.env.Profile.Role = ops.RoleAdmin
	d.env.Profile.Room = testRoom{refusal: "this account is shared"}
	if got := d.resetRefusal(&session.Visit{User: "viewer"}); got != "this account is shared" {
		t.Errorf("the reset of a shared account is refused with %q", got)
	}
	d.env.Profile.Room = testRoom{}
	if got := d.resetRefusal(&session.Visit{User: "user1"}); got != "" {
		t.Errorf("the reset of an account is refused with %q", got)
	}
}
