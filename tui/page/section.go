package page

import (
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/session"
	"flightdesk/tui/theme"
)

// Section is a part of the app that has a number and a stack of pages of its
// own, which stays as it was left while another section is on the screen.
//
// A page adds its section in three lines:
//
//  1. an action to go there, in the scope Everywhere of action's table; its key
//     is the section's number, and one from 1 to 9;
//  2. a value of Section in the page's own package;
//  3. that value in the list in tui/sections.go.
//
// Navigation, palette, help and mouse know it from then on. A page that only
// opens from others needs none of this: they hand it to [Env.Open].
type Section struct {
	Go    action.ID       // the action that goes there
	Name  string          // in the navigation, one word
	Short string          // its name in narrow windows, four letters at most
	First func(*Env) Page // makes the page at the bottom of its stack, when it is first shown
	// Offered tells whether the section is there at all; nil is always.
	Offered func(*Env) bool
	// Missing tells why it is not offered, which its key then says; "" or nil
	// hides the key.
	Missing func(*Env) string
}

// SectionBadge is what stands behind a section's name: how many things wait there.
type SectionBadge struct {
	Text string // 3, or !1 for trouble; "" for nothing
	Role theme.Role
}

// ViewAccount returns the environment for pages of an account of another cache.
func (e *Env) ViewAccount(known *cache.Cache, company string) *Env {
	of := *e
	of.Cache, of.Account, of.Company, of.Viewed = known, company, company, true
	of.Permissions, of.badges, of.quoted = session.Permissions{}, nil, nil
	return &of
}

// FollowLook takes how pages are drawn from another one.
func (e *Env) FollowLook(of *Env) { e.PageLook, e.FileAccess = of.PageLook, of.FileAccess }

// SetBadge shows a badge behind the section that an action goes to. Pages call
// it in Update.
func (e *Env) SetBadge(section action.ID, b SectionBadge) {
	if e.badges == nil {
		e.badges = map[action.ID]SectionBadge{}
	}
	e.badges[section] = b
}

// BadgeOf returns a section's badge.
func (e *Env) BadgeOf(section action.ID) SectionBadge { return e.badges[section] }

// WorkMsg shows, or ends, something that runs in the background, in the status
// row and in the terminal's tab.
type WorkMsg struct {
	ID     string  // tells it from other work
	Text   string  // what the status row says: 2 downloads  38 %  41 MB/s
	Done   float64 // share that is done, 0 to 1; negative where that is not known
	Failed bool    // it stands still and needs somebody
	Over   bool    // it has ended and is shown no longer
}
