package demodata

import (
	_ "embed"
	"fmt"
	"sync"
	// of the tables
	"flightdesk/api"
	"flightdesk/api/server/internal/store"

	"github.com/BurntSushi/toml"
)

//go:embed world.toml
var worldText string

// demoTables are what the world is made from.
type demoTables struct {
	Operators, Dispatchers, Weather, Notes []string
	Authorities                            map[string]string // that permit flights, by country
	Account                                []demoAccount
}

// worldTables returns the tables, which nobody may change.
var worldTables = sync.OnceValue(func() (t demoTables) {
	if _, err := toml.Decode(worldText, &t); err != nil {
		panic(fmt.Sprintf("world.toml: %v", err)) // it is part of the program
	}
	return t
})

func demoAccounts() []demoAccount { return worldTables().Account }

// demoAccount is a demo account and what it has ordered.
type demoAccount struct {
	store.Account
	Orders    []demoOrder
	Recorded  []demoOrder // that only the v2 API has: their sites become no missions
	Endpoints []demoEndpoint
	Datasets  []demoDataset
	Imports   string // what its granted request for a key was for
	Wishes    string // what its open request is for
}

// demoOrder is an order of the world, as its table tells it.
type demoOrder struct {
	Name         string
	Code         string // "": the next one
	Status       api.OrderStatus
	Before       api.OrderStatus // of an archived order: its status until then
	Reason       string          // of rejecting or archiving
	DaysAgo      float64         // when it was placed
	StartIn      int             // days from placing to startDate
	Days         int             // days from startDate to deadline
	Objective    api.MissionObjective
	Asset        api.IndustryAssetType
	Sensors      []api.Sensor
	Deliverables []api.Deliverable
	Sites        []demoSite
	Ahead        int         // so many of its missions are one step further than the order
	Bids         bidState    // how its quotes stand while it bids
	Moved        bool        // its flight was moved for the weather
	Twice        bool        // its data was delivered a second time
	OtherMap     string      // a kind of map that is none of the products
	Notice       noticeState // how its client hears that it is complete
}

// bidState says how the quotes of an order stand that still bids.
type bidState string

// How the quotes stand.
const (
	bidsAwaited    bidState = ""           // none was issued yet
	bidsOpen       bidState = "open"       // all can be accepted, the fastest not for long
	bidsMixed      bidState = "mixed"      // one open, one turned down, one expired
	bidsPassed     bidState = "passed"     // the first one was turned down, all others have expired
	bidsTurnedDown bidState = "turnedDown" // all were rejected
)

// noticeState says how an order's client hears that it is complete.
type noticeState string

// How clients hear.
const (
	noticesOff    noticeState = ""
	noticesTaken  noticeState = "taken"  // by webhook, which answers, and by e-mail
	noticesFailed noticeState = "failed" // by webhook, which does not, and by e-mail
)

// demoEndpoint is one of an account.
type demoEndpoint struct {
	URL         string
	Description string
	Events      []api.EventName // nil: all
	DaysAgo     float64         // when it was registered
	Failures    failurePattern
	Lost        api.EventName // the newest of these was never sent; "" for none
}

// failurePattern says how an endpoint fares.
type failurePattern string

// How endpoints fare.
const (
	failsSeldom failurePattern = "seldom" // it answers, but for a bad day
	failsOften  failurePattern = "often"  // it is slow, and fails every third time
	failsAlways failurePattern = "always" // its host is gone
)

// demoDataset is one that an account has purchased.
type demoDataset struct {
	Name, Description, Label string
	Categories, Goals        []string
	Deliverables             []api.Deliverable
	Area                     areaShape
	MonthsAgo                int
}
