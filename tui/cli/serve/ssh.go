package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/config/atomicfile"
	"flightdesk/tui"
	"flightdesk/tui/app/guard"
	"flightdesk/tui/app/session"
	"flightdesk/tui/cli/run"
	"flightdesk/tui/sshserver"
)

// SSH is how the app is served over SSH.
type SSH struct {
	State    string // folder of the host key of a service without a data folder
	Addr     string // to listen on; "" serves none
	Keys     string // file of public keys
	Profiles string // configuration whose profiles are the users'
	accounts *run.Choice

	// OpenProfile returns what a user works on with a profile of Profiles.
	OpenProfile func(ctx context.Context, file, user string) (tui.Options, error)
}

func (f *SSH) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(
		&f.Addr,
		"ssh",
		"",
		"also serve the app over SSH on this address, such as :2222; people log in with invitation codes, see ops invite",
	)
	flags.StringVar(
		&f.Keys,
		"ssh-keys",
		"",
		"file of public keys that can log in over SSH, each with the name of its user as the comment",
	)
	f.accounts = run.ChoiceFlag(
		cmd,
		"ssh-accounts",
		"accounts of those who log in over SSH; own if omitted",
		"own",
		"shared",
	)
}

// checkFlags returns an error where the flags do not fit together.
func (f *SSH) checkFlags(isDemo bool) error {
	_, _, err := net.SplitHostPort(f.Addr)
	named := f.accounts.Value != ""
	if f.Addr == "" {
		return checkRules(
			flagRule{
				f.Keys != "" || f.Profiles != "" || named,
				"--ssh-keys, --ssh-profiles and --ssh-accounts need --ssh",
			},
		)
	}
	return checkRules(
		flagRule{
			err != nil,
			fmt.Sprintf("--ssh %q is not a valid address; use host:port, such as :2222", f.Addr),
		},
		flagRule{
			f.Profiles != "" && (isDemo || named),
			"--ssh-profiles cannot be combined with --demo or --ssh-accounts",
		},
		flagRule{f.Profiles == "" && !isDemo, "--ssh needs --demo or --ssh-profiles"},
	)
}

// TrainingRoom is the app that is served over SSH beside a service.
type TrainingRoom struct {
	Addr net.Addr

	*sshserver.Server
	accounts *roomAccounts
	scratch  *atomicfile.TempFolder // nil where the users' folders are kept
	close    func() error
}

// Open serves the app, whose service has started. Files are kept in the data folder of
// the service, if it has one; the host key is kept in any case.
func (f *SSH) Open(ctx context.Context, s *server.Server) (r *TrainingRoom, err error) {
	if f.Addr == "" {
		return nil, nil
	}
	r = &TrainingRoom{}
	r.close = sync.OnceValue(r.end)
	keys := filepath.Join(cmp.Or(s.Dir, f.State), "ssh")
	kept := keys
	if s.Dir == "" {
		if r.scratch, err = atomicfile.NewTempFolder("ssh"); err != nil {
			return nil, err
		}
		kept = r.scratch.Path
	}
	users := filepath.Join(kept, "users")
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.Addr)
	if err != nil {
		return r, fmt.Errorf("--ssh: %w", err)
	}
	r.Addr = l.Addr()
	isLocal := l.Addr().(*net.TCPAddr).IP.IsLoopback()
	o := sshserver.Options{
		HostKey: filepath.Join(keys, "host_ed25519"),
		Dir:     users,
		Log:     s.Log,
		Logins: sshserver.Logins{
			Keys:   f.Keys,
			OpsKey: s.OpsKey,
			Open:   isLocal && f.Keys == "" && f.Profiles == "",
		},
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if f.Profiles == "" {
		o.Samples = filepath.Join(kept, "surveys")
		if err := os.CopyFS(o.Samples, server.DemoSurveys()); err != nil && !errors.Is(err, fs.ErrExist) {
			return r, errors.Join(fmt.Errorf("unpack sample survey files: %w", err), l.Close())
		}
	}
	r.accounts = &roomAccounts{service: s, dir: users, shared: f.accounts.Value == "shared", room: r}
	if o.Open = r.accounts.open; f.Profiles != "" {
		o.Open = func(ctx context.Context, user string) (tui.Options, error) {
			return f.OpenProfile(ctx, f.Profiles, user)
		}
	}
	if r.Server, err = sshserver.New(o); err != nil {
		return r, errors.Join(err, l.Close())
	}
	guard.Go(func() error { return r.Serve(l) })
	return r, nil
}

// Room returns who is there; nil where nothing is served.
func (r *TrainingRoom) Room() session.Room {
	if r == nil {
		return nil
	}
	return r
}

// Restart gives a user a new account and ends their sessions.
func (r *TrainingRoom) Restart(user string) error {
	if r.accounts.shared || user == sshserver.Operations || user == sshserver.Viewer {
		return errors.New("this account is shared; restore the initial orders on Test controls")
	}
	r.accounts.mu.Lock()
	_, err := r.accounts.newAccount(context.Background(), user)
	r.accounts.mu.Unlock()
	if err == nil {
		r.End(user)
	}
	return err
}

// Close ends all sessions; nil is closed already.
func (r *TrainingRoom) Close() error {
	if r == nil {
		return nil
	}
	return r.close()
}

func (r *TrainingRoom) end() (err error) {
	if r.Server != nil {
		err = r.Server.Close()
	}
	if r.scratch != nil {
		err = errors.Join(err, r.scratch.Remove())
	}
	return err
}

// roomAccounts are the accounts of a demo's service that users work on.
type roomAccounts struct {
	service *server.Server
	dir     string // has a folder for each user
	shared  bool   // all work on the first one
	room    *TrainingRoom

	mu sync.Mutex
}

// open returns what a user works on.
func (a *roomAccounts) open(ctx context.Context, user string) (o tui.Options, err error) {
	s := a.service
	demo := s.Accounts()
	if len(demo) == 0 {
		return o, errors.New("this data folder has no demo accounts")
	}
	account := demo[0]
	if !a.shared && user != sshserver.Operations && user != sshserver.Viewer {
		if account, err = a.ownAccount(ctx, user); err != nil {
			return o, err
		}
	}
	o.Profile, o.Account, o.ServerMode, o.ReadOnly = user, account.CompanyName, true, user == sshserver.Viewer
	o.Fetch.Transport, o.Fetch.UserAgent = s.Transport(), run.UserAgent()
	if o.Client, err = a.client(account.Key); err == nil && user == sshserver.Operations {
		o.Room = a.room.Room
		o.Ops, err = ops.NewClient(
			s.OpsURL(),
			s.OpsKey,
			api.WithUserAgent(run.UserAgent()),
			api.WithTransport(s.Transport()),
		)
	}
	return o, err
}

func (a *roomAccounts) client(key string) (*api.Client, error) {
	return api.NewClient(
		a.service.BaseURL(), api.WithKey(key), api.WithLegacyURL(a.service.LegacyURL()),
		api.WithUserAgent(run.UserAgent()), api.WithTransport(a.service.Transport()),
	)
}

// ownAccount returns a user's account. It is made at the first login, and again where a
// reset of the service has left nothing of it.
func (a *roomAccounts) ownAccount(ctx context.Context, user string) (account server.DemoAccount, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, err := os.ReadFile(a.file(user))
	if err == nil {
		err = json.Unmarshal(text, &account)
	}
	if err == nil {
		var client *api.Client
		if client, err = a.client(account.Key); err != nil {
			return account, err
		}
		left, err := client.Orders.List(ctx, api.ListOptions{Limit: 1})
		if err == nil && len(left.Items) > 0 {
			return account, nil
		}
	}
	return a.newAccount(ctx, user)
}

// newAccount makes an account for a user, in place of the one before.
func (a *roomAccounts) newAccount(ctx context.Context, user string) (server.DemoAccount, error) {
	account, err := a.service.AddDemoAccount(ctx, user)
	if err != nil {
		return account, err
	}
	text, err := json.Marshal(account)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(a.file(user)), 0o700)
	}
	if err == nil {
		err = atomicfile.ReplaceFile(a.file(user), text)
	}
	return account, err
}

func (a *roomAccounts) file(user string) string { return filepath.Join(a.dir, user, "account.json") }
