package tui_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/config"
	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/apptest"
)

// profiles gives the app two more profiles: one that connects, and one that does not.
func profiles(t *testing.T) func(*tui.Options) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		apptest.WriteAnswer(
			w, 200,
			apptest.OrderList(`"uuid":"x","orderCode":"ORD-77","orderName":"Other place","companyName":"Bosun Surveys"`),
		)
	}))
	t.Cleanup(other.Close)
	client, err := api.NewClient(other.URL, api.WithKey("fd_test_other"), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	drafts := t.TempDir()
	return func(o *tui.Options) {
		first := o.ProfileOptions
		first.Profile, first.Drafts = "first", filepath.Join(drafts, "first")
		o.Profile, o.Drafts = first.Profile, first.Drafts
		o.Profiles = []string{"first", "other", "locked"}
		o.Switch = func(_ context.Context, name string) (tui.ProfileOptions, error) {
			switch name {
			case "first":
				return first, nil
			case "other":
				return tui.ProfileOptions{
					Client:   client,
					Profile:  name,
					Band:     "live",
					ReadOnly: true,
					Drafts:   filepath.Join(drafts, name),
				}, nil
			}
			return tui.ProfileOptions{}, errors.New("the keyring does not answer")
		}
	}
}

func TestSwitchingProfilesThereAndBack(t *testing.T) {
	d := apptest.Open(t, 120, 36, profiles(t))
	d.RequireText("· first · read+write", "ORD-100249")
	d.Press("n")
	d.Type("elbe")
	d.Press("enter")
	d.Press("ctrl+o")
	d.RequireText("a profile", "profile: other", "2 of 2")
	d.Press("enter")
	d.RequireText(" other · READ-ONLY", "▸ ORD-77", "Switched to profile other", "[2 Orders]")
	d.SeesNot("Levee", "ORD-100249")
	d.Press("n")
	d.SeesNot("2 Sites]") // the draft is the other profile's
	d.Press("esc", ":")
	d.Type("profile: first")
	d.Press("enter")
	d.RequireText("· first · read+write", "ORD-100249")
	d.Press("n")
	d.RequireText("[2 Sites]", "Levee")
	d.Close()
}

func TestTheChoiceOfProfilesSaysWhereTheyConnect(t *testing.T) {
	setup := &session.AccountSetup{Current: func(name string) (session.TypedAccount, error) {
		if name == "locked" {
			return session.TypedAccount{}, errors.New("the file cannot be read")
		}
		profile := config.Profile{Name: name, BaseURL: "https://desk.example/api/v1/public", Band: "test"}
		return session.TypedAccount{Profile: profile}, nil
	}}
	d := apptest.Open(t, 80, 24, profiles(t), func(o *tui.Options) { o.Setup = setup })
	d.Press("ctrl+o")
	if choice := regexp.MustCompile(`profile: other +Test · desk.example`); !choice.MatchString(d.Screen()) {
		t.Errorf("the service of the profile is not shown:\n%s", d.Screen())
	}
	if choice := regexp.MustCompile(`profile: locked +profile `); !choice.MatchString(d.Screen()) {
		t.Errorf("a profile that cannot be read is not listed:\n%s", d.Screen())
	}
}

func TestFailedConnectionKeepsTheProfile(t *testing.T) {
	d := apptest.Open(t, 120, 36, profiles(t))
	d.Press(":")
	d.Type("locked")
	d.Press("enter")
	d.RequireText("Profile locked: the keyring does not answer", "· first ·", "ORD-100249")
	d.Hold()
	d.Press("ctrl+o", "enter") // what was run last comes first
	d.RequireText("Connecting to profile locked")
	d.Press("ctrl+o")
	d.Type("other")
	d.Press("enter")
	d.Release()
	d.RequireText(" other")
	d.SeesNot("the keyring does not answer") // that answer came too late
}

func TestSingleProfileDisablesSwitching(t *testing.T) {
	d := apptest.Open(t, 120, 36)
	d.Press("ctrl+o")
	d.RequireText("profile: only one profile")
}

func TestKeySwitchesToThePreviousProfile(t *testing.T) {
	d := apptest.Open(t, 120, 36, profiles(t))
	d.Press("`")
	d.RequireText("a profile", "profile: other", "profile: locked") // none was shown before, and there are two others
	d.Type("other")
	d.Press("enter")
	d.RequireText(" other · READ-ONLY")
	for range 2 {
		d.Press("`")
		d.RequireText("· first · read+write", "ORD-100249")
		d.Press("alt+o")
		d.RequireText(" other · READ-ONLY", "ORD-77")
	}
	two := apptest.Open(t, 120, 36, profiles(t), func(o *tui.Options) { o.Profiles = o.Profiles[:2] })
	two.Press("`")
	two.RequireText(" other")
}

// A new key must not be lost by a switch of the profile, neither before nor while it is shown.
func TestShownSecretBlocksProfileSwitch(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 100, 30, profiles(t))
	d.Press("]", "]", "enter", "n", "space")
	d.Hold()
	d.Press("enter", "ctrl+o")
	d.Type("other")
	d.Press("enter")
	d.Release()
	d.RequireText("Copy the key now")
	d.Advance(time.Second)
	d.Press("esc", "ctrl+o")
	d.Type("other")
	d.Press("enter")
	d.RequireText("Switched to profile other")
	d.SeesNot("issuing a key")
}
