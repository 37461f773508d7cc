package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/config/atomicfile"
	"flightdesk/tui"
	"flightdesk/tui/app/session"
	"flightdesk/tui/sshserver"
)

// SSH is how the app is served over SSH.
type SSH struct {
	State    string // folder of the host key of a service without a data folder
	Addr     string `flag:"ssh,address to serve the app over SSH, such as :2222; see ops invite"`
	Keys     string `flag:"ssh-keys,file with public keys for SSH logins; the comment of each key is the user name"`
	Profiles string // configuration file with a profile for each user of a real service
	accounts *choice[string]

	// Patience is that of the server.
	Patience time.Duration
}

func (f *SSH) addFlags(cmd *cobra.Command) {
	addFlags(cmd, f)
	f.accounts = choiceFlag(cmd, "ssh-accounts", "accounts of SSH users, one for each user or one for all",
		"own", "shared")
	cmd.Flag("ssh-accounts").DefValue = "own"
}

// checkFlags returns an error where the flags do not fit together.
func (f *SSH) checkFlags(isDemo bool) error {
	_, _, err := net.SplitHostPort(f.Addr)
	named := f.accounts.Values != nil
	off := f.Addr == ""
	return flagFaults{
		{off && (f.Keys+f.Profiles != "" || named), "--ssh-keys, --ssh-profiles and --ssh-accounts need --ssh"},
		{!off && f.Profiles == "" && !isDemo, "--ssh needs --demo or --ssh-profiles"},
		{f.Profiles != "" && (isDemo || named), "--ssh-profiles cannot be combined with --demo or --ssh-accounts"},
		{err != nil && !off, fmt.Sprintf("--ssh %q is not a valid address; use host:port, such as :2222", f.Addr)},
	}.check()
}

// TrainingRoom is the app that is served over SSH beside a service.
type TrainingRoom struct {
	*sshserver.Server
	Addr net.Addr

	service *server.Server
	shared  bool                   // all work on the first account of the demo
	scratch *atomicfile.TempFolder // nil where the users' folders are kept
	mu      sync.Mutex             // of the users' accounts
}

// Open serves the app, whose service has started. Files are kept in the data folder of
// the service, if it has one; the host key is kept in any case.
func (f *SSH) Open(ctx context.Context, s *server.Server) (r *TrainingRoom, err error) {
	if f.Addr == "" {
		return nil, nil
	}
	r = &TrainingRoom{service: s, shared: f.accounts.String() == "shared"}
	keys := filepath.Join(cmp.Or(s.Dir, f.State), "ssh")
	kept := keys
	if s.Dir == "" {
		if r.scratch, err = atomicfile.NewTempFolder("ssh"); err != nil {
			return nil, err
		}
		kept = r.scratch.Path
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	o := sshserver.Options{
		HostKey:  filepath.Join(keys, "host_ed25519"),
		Dir:      filepath.Join(kept, "users"),
		Log:      s.Log,
		Patience: f.Patience,
		Keys:     f.Keys, Check: r.checkLogin, Open: r.openAccount,
	}
	if f.Profiles != "" {
		o.Open = func(ctx context.Context, l *sshserver.Login) (tui.Options, error) {
			return openProfile(ctx, f.Profiles, l.User)
		}
	} else {
		o.Samples = filepath.Join(kept, "surveys")
		if err := os.CopyFS(o.Samples, server.DemoSurveys()); err != nil && !errors.Is(err, fs.ErrExist) {
			return r, fmt.Errorf("unpack sample survey files: %w", err)
		}
	}
	if r.Server, err = sshserver.New(o); err != nil {
		return r, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.Addr)
	if err != nil {
		return r, fmt.Errorf("--ssh: %w", err)
	}
	r.Addr = l.Addr()
	r.IsOpen = l.Addr().(*net.TCPAddr).IP.IsLoopback() && f.Keys == "" && f.Profiles == ""
	api.Go(func() error { return r.Serve(l) })
	return r, nil
}

// For returns the room as an operations user sees it, who acts with a client of the
// operations API. The peer and the key say who that is.
func (r *TrainingRoom) For(desk *ops.Client, peer server.Peer, key string) session.Room {
	return roomView{r, desk, peer, key}
}

// roomView is the room of an operations user.
type roomView struct {
	*TrainingRoom
	desk *ops.Client
	peer server.Peer
	key  string // "" if the peer names the user
}

// Tell records a note in the audit trail and shows it to one participant, or with 0 to all.
func (r roomView) Tell(ctx context.Context, number int, text string) error {
	participant := "everybody"
	if number != 0 {
		visits := r.Visits()
		i := slices.IndexFunc(visits, func(v session.Visit) bool { return v.Number == number })
		if i < 0 {
			return errors.New("the note was not sent: the participant is no longer connected")
		}
		participant = visits[i].User
	}
	if err := r.service.RecordNote(ctx, r.peer, r.key, participant); err != nil {
		return fmt.Errorf("the note was not sent: %w", err)
	}
	r.Server.Tell(number, text)
	return nil
}

// Play begins a scenario on the account of each participant who is there.
func (r roomView) Play(ctx context.Context, scenario string) (accounts int, err error) {
	var uuids []string
	for _, v := range r.Visits() {
		if account, err := r.readAccount(v.User); err == nil && !slices.Contains(uuids, account.UUID) {
			uuids = append(uuids, account.UUID)
		}
	}
	if len(uuids) == 0 && !r.shared {
		return 0, errors.New("no participant is connected")
	}
	_, err = r.desk.World.PlayScenario(ctx, scenario, ops.PlayInput{Accounts: uuids})
	return max(1, len(uuids)), err
}

// sharesAccount reports whether a user has no account of their own.
func (r *TrainingRoom) sharesAccount(user string) bool {
	return r.shared || user == sshserver.Operations || user == sshserver.Viewer
}

// Restart gives a user a new account and ends their sessions.
func (r roomView) Restart(ctx context.Context, user string) error {
	if r.sharesAccount(user) {
		return errors.New("this account is shared; restore the initial orders on Test controls")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	made, err := r.desk.World.AddDemoAccount(ctx, ops.DemoAccountInput{CompanyName: user})
	if err != nil {
		return err
	}
	account := server.DemoAccount{UUID: made.UUID, CompanyName: made.CompanyName, Key: made.Key, Scopes: made.Scopes}
	return r.useAccount(user, account)
}

// Close ends all sessions; nil has none.
func (r *TrainingRoom) Close() (err error) {
	if r == nil {
		return nil
	}
	if r.Server != nil {
		err = r.Server.Close()
	}
	if r.scratch != nil {
		err = errors.Join(err, r.scratch.Remove())
	}
	return err
}

// openAccount returns what a user works on.
func (r *TrainingRoom) openAccount(ctx context.Context, l *sshserver.Login) (o tui.Options, err error) {
	s, user := r.service, l.User
	demo := s.Accounts()
	if len(demo) == 0 {
		return o, errors.New("this data folder has no demo accounts")
	}
	account := demo[0]
	if !r.sharesAccount(user) {
		if account, err = r.ownAccount(ctx, user); err != nil {
			return o, err
		}
	}
	peer := server.Peer{Address: l.Address}
	if l.Secret == "" {
		peer.Operator = l.Operator.UUID // known by a public key
	}
	transport := s.PeerTransport(peer)
	o.Profile, o.Company, o.ServerMode, o.ReadOnly = user, account.CompanyName, true, l.IsReadOnly()
	o.Fetch.Transport, o.Fetch.UserAgent = transport, userAgent()
	client, desk, err := clientsOf(s, account.Key, cmp.Or(l.Secret, "none"), api.WithTransport(transport))
	if err != nil {
		return o, err
	}
	o.Client = client
	if user == sshserver.Operations {
		o.Room, o.Ops, o.Role = r.For(desk, peer, l.Secret), desk, l.Operator.Role
	}
	return o, nil
}

// checkLogin reports whether the secret of a login is right, or the operations user whom a
// public key names is there.
func (r *TrainingRoom) checkLogin(ctx context.Context, l *sshserver.Login) (allowed bool, err error) {
	switch {
	case l.User != sshserver.Operations:
		return r.service.IsInvited(ctx, l.User, l.Secret)
	case l.Secret != "":
		l.Operator, err = r.service.OperatorByKey(ctx, l.Secret)
	default:
		l.Operator, err = r.service.OperatorByName(ctx, l.Named)
	}
	if server.IsDenied(err) {
		return false, nil
	}
	return err == nil, err
}

// ownAccount returns a user's account. It is made at the first login, and again where a
// reset of the service has left nothing of it.
func (r *TrainingRoom) ownAccount(ctx context.Context, user string) (server.DemoAccount, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if account, err := r.readAccount(user); err == nil {
		client, err := r.service.Ops() // which injected faults leave alone
		if err != nil {
			return account, err
		}
		left, err := client.Orders.List(ctx, ops.OrderFilter{Account: account.UUID}, api.ListOptions{Limit: 1})
		if gone := api.IsStatus(err, http.StatusNotFound) || err == nil && len(left.Items) == 0; !gone {
			return account, err
		}
	}
	return r.newAccount(ctx, user)
}

func (r *TrainingRoom) readAccount(user string) (account server.DemoAccount, err error) {
	text, err := os.ReadFile(r.accountFile(user))
	if err == nil {
		err = json.Unmarshal(text, &account)
	}
	return account, err
}

// newAccount makes an account for a user, in place of the one before, whose sessions end.
func (r *TrainingRoom) newAccount(ctx context.Context, user string) (server.DemoAccount, error) {
	account, err := r.service.AddDemoAccount(ctx, user)
	if err != nil {
		return account, err
	}
	return account, r.useAccount(user, account)
}

// useAccount makes an account the user's, and ends the sessions on the one before.
func (r *TrainingRoom) useAccount(user string, account server.DemoAccount) error {
	text, err := json.Marshal(account)
	if err != nil {
		return err
	}
	if err := atomicfile.ReplaceFile(r.accountFile(user), text); err != nil {
		return err
	}
	r.End(user)
	return nil
}

func (r *TrainingRoom) accountFile(user string) string {
	return filepath.Join(r.Dir, user, "account.json")
}
