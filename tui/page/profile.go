package page

import (
	"cmp"
	"context"
	"path/filepath"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/ops"
	"flightdesk/tui/action"
	"flightdesk/tui/app/cache"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/ordering"
	"flightdesk/tui/app/session"
	"flightdesk/tui/app/webhooks"
	"flightdesk/tui/format"
)

// ProfileOptions are the options of one profile: its clients, and where its data is saved.
type ProfileOptions struct {
	Client      *api.Client // client of the public API; if nil, the app begins with the connect page, which needs Setup
	Setup       *session.AccountSetup
	Ops         *ops.Client // client of the operations API; nil without an operations key
	NoOps       error       // why the configured operations key is not available
	Company     string      // name of the account, for the first row and new orders; "" if unknown
	Profile     string      // name of the profile; "demo" in a demo
	Band        string      // kind of service: live, test, demo or ""; it determines the colour of the first row
	ServerMode  bool        // the service runs in this process
	Host        string      // name of the service; "" shows the client's host
	ReadOnly    bool
	NoAccount   bool             // the profile has only an operations key; Client has no key
	Role        ops.Role         // role of the operations user; "" if unknown
	Drafts      string           // folder of drafts; "" keeps them in memory
	Views       string           // file of the profile's table layouts; "" keeps them in memory
	Notices     string           // notifications of the terminal: auto, bell or off; "" is auto
	Units       format.Units     // default units of areas and times
	Known       string           // file with the copy of the data for offline use; "" keeps no copy
	ChangesFile string           // file with the log of sent changes; "" keeps it in memory
	UIState     *session.UIState // content of the file Views, or nil if the file was not read yet
	Samples     string           // folder of sample survey files, or ""
	Profiles    []string         // names of all profiles; nil keeps the names of the previous profile

	// Room lists the other users who run the app in this process; nil does not show them.
	Room session.Room

	// Fetch configures downloads. The default of its Dir is "deliveries" in Folder.
	Fetch fetch.Options
	// Secrets stores the signing secrets of webhook endpoints; nil keeps them in memory.
	Secrets webhooks.SecretStore
	// Received is the file with the log of received events; "" keeps no log. Listens is the folder that records
	// which endpoints the app has registered for the event feed, so that the next run can remove them after a
	// crash; "" records nothing.
	Received, Listens string
}

// SetPaths sets the files and folders of the profile's data to paths in the state folder. The paths contain the
// name of the profile, except the paths of data that all profiles share.
func (o *ProfileOptions) SetPaths(state, name string) {
	o.Drafts = filepath.Join(state, "drafts", name)
	o.Views = session.UIStatePath(state, name)
	o.Known = filepath.Join(state, "known", name+".json")
	o.Received = filepath.Join(state, "received", name+".jsonl")
	o.ChangesFile = filepath.Join(state, changes.LogFile)
	o.Listens = filepath.Join(state, "listen")
}

// ProfileService is the profile in use: its clients, its data and its rights.
type ProfileService struct {
	ProfileOptions
	Viewed bool // the pages show another account, which is read with the operations key of the profile

	Permissions session.Permissions // known rights of the key

	// The following fields are nil if the app is not connected to a service.
	Cache      *cache.Cache              // everything read from the service
	Downloads  *deliveries.Downloads     // running downloads
	Feed       *webhooks.EventFeed       // receives callbacks
	Secrets    *webhooks.EndpointSecrets // known secrets of endpoints
	ChangeLog  *changes.Log              // log of sent changes; nil keeps none
	RequestLog *session.RequestLog       // requests of this run

	badges map[action.ID]SectionBadge
	quoted map[string]format.QuoteState // states of quotes by order ID; nil until they are listed

	quotedVersion int // changes with quoted
}

// AccountName returns the name of the account in logs: the company, or the profile if the company is
// unknown.
func (o *ProfileOptions) AccountName() string { return cmp.Or(o.Company, o.Profile) }

// AccountLabel returns the name of the account in reports: the company, or "profile" and the name
// of the profile.
func (o *ProfileOptions) AccountLabel() string { return cmp.Or(o.Company, "profile "+o.Profile) }

// ChangeSender returns a sender that sends the account's changes and logs them.
func (p *ProfileService) ChangeSender() *commands.Sender {
	return &commands.Sender{
		Client:  p.Client,
		Changes: p.ChangeLog,
		Account: p.AccountName(),
	}
}

// OrderPlacer returns a placer that places orders for the account and logs them.
func (p *ProfileService) OrderPlacer() *ordering.Placer {
	return &ordering.Placer{
		Client:  p.Client,
		Changes: p.ChangeLog,
		Account: p.AccountName(),
	}
}

// OperationsTarget returns a target for commands that are sent to the operations API of the profile. It has no
// ID. The caller sets the ID of the order, mission or other object that the command changes.
func (p *ProfileService) OperationsTarget(ctx context.Context) commands.Target {
	return commands.Target{
		Context:      ctx,
		Client:       p.Ops,
		LookSchedule: p.ChangeLog.LookSchedule(),
	}
}

// RoleRefusal returns why the operations user cannot do something that needs a role. It returns "" if the
// user has the role, or if the user's role is unknown.
func (s *ProfileService) RoleRefusal(role ops.Role) string {
	if s.Role == "" || s.Role.Covers(role) {
		return ""
	}
	return "needs the role " + string(role) + "; yours is " + string(s.Role)
}

// scopeOf has the scope that a key needs for a kind of change.
var scopeOf = map[action.ChangeKind]api.Scope{
	action.ChangesOrders:    api.ScopeOrdersWrite,
	action.ChangesEndpoints: api.ScopeWebhooksWrite,
}

// RefusalOfAction returns why the profile is not allowed to perform an action. It returns "" if the action is
// allowed or if the rights of the profile are unknown.
func (s *ProfileService) RefusalOfAction(act action.Action) string {
	reason := s.RefusalOf(act.ChangeKind())
	if reason != "" || !act.IsAdministration() {
		return reason
	}
	return s.RoleRefusal(ops.RoleAdmin)
}

// KeyOf returns the label of an action's key, for a text that advises the user to press it. It returns "" if the
// profile cannot perform the action, or if none of the scopes has the action.
func (s *ProfileService) KeyOf(id action.ID, scopes ...action.Scope) string {
	act, ok := action.ByID(id, scopes...)
	if !ok || s.RefusalOfAction(act) != "" {
		return ""
	}
	return action.KeyLabel(act.Keys[0])
}

// RefusalOf returns why the profile is not allowed to make a kind of change. It returns "" if the change is
// allowed or if the rights of the profile are unknown.
func (s *ProfileService) RefusalOf(change action.ChangeKind) string {
	switch {
	case change == action.ChangesNothing:
		return ""
	case s.ReadOnly && s.Role == ops.RoleRead:
		return "your role is read; ask an administrator for another"
	case s.ReadOnly:
		return "read-only mode"
	case change == action.ChangesOperations:
		return s.RoleRefusal(ops.RoleOperate)
	case s.NoAccount && !s.Viewed:
		return "needs a key of an account; this profile has an operations key only"
	case s.Viewed:
		return "viewed with the operations key; only a key of the account can change it"
	default:
		return s.Permissions.RefusalOf(scopeOf[change])
	}
}
