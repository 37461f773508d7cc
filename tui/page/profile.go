package page

import (
	"cmp"
	"path/filepath"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// ProfileOptions are what the app shows with a profile.
type ProfileOptions struct {
	Client     *api.Client // if nil, the app begins with the connect page, which needs Setup
	Setup      *session.AccountSetup
	Ops        *ops.Client // operations API; nil without an operations key
	NoOps      error       // why the configured operations key is unavailable
	Company    string      // name of the account, for the band and new orders; "" if unknown
	Profile    string      // profile name, "demo" in a demo
	Band       string      // environment, which chooses the band's colour: live, test, demo or ""
	ServerMode bool        // the service runs in this process
	Host       string      // name of the service; "" shows the client's host
	ReadOnly   bool
	NoAccount  bool             // there is only an operations key: Client has no key
	Role       ops.Role         // of the operations user; "" if unknown
	Drafts     string           // folder of drafts; "" keeps them in memory
	Views      string           // file of the profile's table layouts; "" keeps them in memory
	Notices    string           // notifications of the terminal: auto, bell or off; "" is auto
	Units      format.Units     // default units of areas and times
	Known      string           // file of the offline copy; "" keeps none
	Decisions  string           // log of decisions on quotes; "" keeps it in memory
	UIState    *session.UIState // Views, if already read
	Samples    string           // folder of sample survey files, or ""
	Profiles   []string         // names of the profiles to switch between; nil leaves them as they were

	// Room is who else uses the app of this process; nil where that is not shown.
	Room session.Room

	// Fetch configures downloads. An empty Dir stands for "deliveries" below
	// Folder.
	Fetch fetch.Options
	// Secrets stores the secrets of endpoints; nil keeps them in memory.
	Secrets webhooks.SecretStore
	// Received is the log of received events. Listens is the folder that lists
	// the endpoints to remove after listening. "" keeps none.
	Received, Listens string
}

// KeepIn has what the app keeps with a profile be in a folder, where other profiles keep
// it by other names.
func (o *ProfileOptions) KeepIn(state, name string) {
	own := func(kind, ending string) string { return filepath.Join(state, kind, name) + ending }
	o.Drafts, o.Views = own("drafts", ""), session.UIStatePath(state, name)
	o.Known, o.Received = own("known", ".json"), own("received", ".jsonl")
	o.Decisions, o.Listens = filepath.Join(state, "decisions.jsonl"), filepath.Join(state, "listen")
}

// ProfileService is the profile in use: its clients, its data, and its rights.
type ProfileService struct {
	ProfileOptions
	Viewed bool // the account is read with the operations key

	Permissions session.Permissions // rights of the key, as far as known

	// The rest is nil without a service.
	Cache      *cache.Cache              // everything read from the service
	Downloads  *deliveries.Downloads     // running downloads
	Feed       *webhooks.EventFeed       // receives callbacks
	Secrets    *webhooks.EndpointSecrets // known secrets of endpoints
	Decisions  *ordering.Ledger          // log of sent changes; nil keeps none
	RequestLog *session.RequestLog       // requests of this run

	badges map[action.ID]SectionBadge
	quoted map[string]format.QuoteCounts // by order ID; nil until the orders with open quotes are listed
}

// AccountName returns the account's name in reports and logs: the company, else the profile.
func (o *ProfileOptions) AccountName() string { return cmp.Or(o.Company, o.Profile) }

// AccountLabel names the account in a report: its company, or its profile.
func (o *ProfileOptions) AccountLabel() string { return cmp.Or(o.Company, "profile "+o.Profile) }

// ChangeSender returns the sender of the account's changes.
func (p *ProfileService) ChangeSender() *commands.Sender {
	return &commands.Sender{
		Client:  p.Client,
		Ledger:  p.Decisions,
		Account: p.AccountName(),
	}
}

// OrderPlacer returns what places orders of the account.
func (p *ProfileService) OrderPlacer() *ordering.Placer {
	return &ordering.Placer{
		Client:  p.Client,
		Ledger:  p.Decisions,
		Account: p.AccountName(),
	}
}

// NeedsRole returns why an operations user cannot do what needs a role, "" if that is
// possible as far as known.
func (s *ProfileService) NeedsRole(role ops.Role) string {
	if s.Role == "" || s.Role.Covers(role) {
		return ""
	}
	return "needs the role " + string(role) + "; yours is " + string(s.Role)
}

// scopeOf maps changes to the scope of the key they need.
var scopeOf = map[action.ChangeKind]api.Scope{
	action.ChangesOrders: api.ScopeOrdersWrite, action.ChangesEndpoints: api.ScopeWebhooksWrite,
}

// RefusalOfAction returns why the profile cannot perform an action, "" if it can as far as
// known.
func (s *ProfileService) RefusalOfAction(act action.Action) string {
	why := s.RefusalOf(act.ChangeKind())
	if why == "" && act.IsAdministration() {
		why = s.NeedsRole(ops.RoleAdmin)
	}
	return why
}

// RefusalOf returns why the profile cannot make a change, "" if it can as far as
// known.
func (s *ProfileService) RefusalOf(change action.ChangeKind) string {
	switch {
	case change == action.ChangesNothing:
		return ""
	case s.ReadOnly && s.Role == ops.RoleRead:
		return "your role is read; ask an administrator for another"
	case s.ReadOnly:
		return "read-only mode"
	case change == action.ChangesOperations:
		return s.NeedsRole(ops.RoleOperate)
	case s.NoAccount && !s.Viewed:
		return "needs a key of an account; this profile has an operations key only"
	case s.Viewed:
		return "viewed with the operations key; only a key of the account can change it"
	default:
		return s.Permissions.RefusalOf(scopeOf[change])
	}
}
