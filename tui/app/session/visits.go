package session

import "flightdesk/api"

// Visit is somebody who has the app of this process open from elsewhere.
type Visit struct {
	Number  int    // tells it from all others
	User    string // the name of the login
	Account string // that they work on
	Place   string // the title of the page that they see
	From    string // the address that they come from
	Since   api.Time
}

// Room is where others work with the app of this process.
type Room interface {
	// Visits lists who is there, in the order in which they came.
	Visits() []Visit
	// Tell shows a note to one of them; 0 is everybody.
	Tell(number int, text string)
	// Scenarios lists what can be played for them.
	Scenarios() []string
	// Play begins a scenario on each account of theirs, and returns on how many.
	Play(scenario string) (accounts int, err error)
	// Restart gives a user a new account and ends their sessions.
	Restart(user string) error
}
