package demodata

import (
	_ "embed"
	"fmt"
	"sync"

	"github.com/BurntSushi/toml"

	"flightdesk/api"
	"flightdesk/api/server/internal/store"
)

//go:embed world.toml
var worldText string

// demoTables are the tables from which the world is created.
type demoTables struct {
	Operators, Dispatchers, Weather, Notes []string
	Authorities                            map[string]string // authorities that permit flights, by country
	Account                                []demoAccount
}

// worldTables returns the tables. They must not be changed.
var worldTables = sync.OnceValue(func() (t demoTables) {
	if _, err := toml.Decode(worldText, &t); err != nil {
		panic(fmt.Sprintf("world.toml: %v", err)) // the file is embedded
	}
	return t
})

func demoAccounts() []demoAccount { return worldTables().Account }

// demoAccount is a demo account with its orders.
type demoAccount struct {
	store.Account
	Orders    []demoOrder
	Recorded  []demoOrder // orders of the v2 API only, without missions
	Endpoints []demoEndpoint
	Datasets  []demoDataset

	ApprovedUse string // intended use in its request for a key that was approved
	PendingUse  string // intended use in its request for a key that is pending
}

// demoOrder is a row of world.toml, which describes an order.
type demoOrder struct {
	Name         string
	Code         string // if it is empty, the order gets the next code
	Status       api.OrderStatus
	Before       api.OrderStatus // status before an order was archived
	Reason       string          // of rejection or archiving
	DaysAgo      float64         // when it was placed
	StartIn      int             // days from placing to startDate
	Days         int             // days from startDate to deadline
	Objective    api.MissionObjective
	Asset        api.IndustryAssetType
	Sensors      []api.Sensor
	Deliverables []api.Deliverable
	Sites        []demoSite
	Ahead        int         // number of missions one step further than the order
	Bids         bidState    // state of its quotes while it is open for bids
	Moved        bool        // its flight was rescheduled because of the weather
	Twice        bool        // its data was delivered twice
	OtherMap     string      // type of map that is not among the products
	Notice       noticeState // whether its client was notified of its completion
}

// bidState is the state of the quotes of an order that is open for bids.
type bidState string

// States of quotes.
const (
	bidsAwaited    bidState = ""           // none issued yet
	bidsOpen       bidState = "open"       // all can be accepted, the fastest not for long
	bidsMixed      bidState = "mixed"      // the first is open, the last has expired, the others are rejected
	bidsPassed     bidState = "passed"     // the first is rejected, the others have expired
	bidsTurnedDown bidState = "turnedDown" // all are rejected
)

// noticeState is the outcome of notifying a client that an order is complete.
type noticeState string

// States of notices.
const (
	noticesOff    noticeState = ""
	noticesTaken  noticeState = "taken"  // webhook and email were received
	noticesFailed noticeState = "failed" // the webhook failed, the email was received
)

// demoEndpoint is an endpoint of an account.
type demoEndpoint struct {
	URL         string
	Description string
	Events      []api.EventName // nil means all events
	DaysAgo     float64         // when it was registered
	Failures    failurePattern
	Lost        api.EventName // the callback of the newest event with this name was never sent; may be ""
}

// failurePattern says how often callbacks to an endpoint fail.
type failurePattern string

// Patterns of failures.
const (
	failsSeldom failurePattern = "seldom" // works, except for a bad day
	failsOften  failurePattern = "often"  // is slow, and about a third of the callbacks fail
	failsAlways failurePattern = "always" // its host does not exist
)

// demoDataset is a dataset that an account has bought.
type demoDataset struct {
	Name, Description, Label string
	Categories, Goals        []string
	Deliverables             []api.Deliverable
	Area                     areaShape
	MonthsAgo                int
}
