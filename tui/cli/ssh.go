package cli

import (
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

// SSH has the flags for serving the app over SSH.
type SSH struct {
	State    string // folder of the host key if the service has no data folder
	Addr     string `flag:"ssh,address to serve the app over SSH, such as :2222; see ops invite"`
	Keys     string `flag:"ssh-keys,file with public keys for SSH logins; the comment of each key is the user name"`
	Profiles string // configuration file with a profile for each user of a real service
	accounts *choice[string]

	// Patience is how long the server waits for a client that does not respond; 0 is its default.
	Patience time.Duration
}

func (f *SSH) addSSHFlags(cmd *cobra.Command) {
	addFlags(cmd, f)
	f.accounts = choiceFlag(cmd, "ssh-accounts", "accounts of SSH users, one for each user or one for all",
		"own", "shared")
	cmd.Flag("ssh-accounts").DefValue = "own"
}

// checkFlags returns an error if the flags contradict each other or an address is invalid.
func (f *SSH) checkFlags(isDemo bool) error {
	isOff := f.Addr == ""
	hasAccounts := f.accounts.Values != nil
	_, _, addrErr := net.SplitHostPort(f.Addr)
	return flagRules{
		{
			isOff && (f.Keys != "" || f.Profiles != "" || hasAccounts),
			"--ssh-keys, --ssh-profiles and --ssh-accounts need --ssh",
		},
		{!isOff && f.Profiles == "" && !isDemo, "--ssh needs --demo or --ssh-profiles"},
		{
			f.Profiles != "" && (isDemo || hasAccounts),
			"--ssh-profiles cannot be combined with --demo or --ssh-accounts",
		},
		{
			!isOff && addrErr != nil,
			fmt.Sprintf("--ssh %q is not a valid address; use host:port, such as :2222", f.Addr),
		},
	}.check()
}

// TrainingRoom serves the app over SSH for the users of a service in this process.
type TrainingRoom struct {
	*sshserver.Server
	Addr net.Addr

	service *server.Server
	shared  bool                   // all users have the first account of the demo
	temp    *atomicfile.TempFolder // folder of the users' files; nil if they are in the data folder
	mu      sync.Mutex             // guards the files with the users' accounts
}

// Open serves the app over SSH, or returns nil if --ssh is not set. The service s must have started. The users'
// files are in the data folder of the service. If the service has no data folder, they are in a temporary
// folder, but the host key is in the state folder, so that clients recognize the server after a restart.
func (f *SSH) Open(ctx context.Context, s *server.Server) (*TrainingRoom, error) {
	if f.Addr == "" {
		return nil, nil
	}
	r := &TrainingRoom{service: s, shared: f.accounts.String() == "shared"}
	if err := f.startServer(ctx, r); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// startServer starts the SSH server of a room. After an error the room must be closed.
func (f *SSH) startServer(ctx context.Context, r *TrainingRoom) error {
	options, err := f.serverOptions(r)
	if err != nil {
		return err
	}
	r.Server, err = sshserver.New(options)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.Addr)
	if err != nil {
		return fmt.Errorf("--ssh: %w", err)
	}
	r.Addr = listener.Addr()
	isLoopback := listener.Addr().(*net.TCPAddr).IP.IsLoopback()
	r.IsOpen = isLoopback && f.Keys == "" && f.Profiles == "" // guests need no code on this machine
	api.Go(func() error { return r.Serve(listener) })         //nolint:contextcheck // the room ends with Close
	return nil
}

// serverOptions returns the options of a room's SSH server, and creates the folders with its files.
func (f *SSH) serverOptions(r *TrainingRoom) (sshserver.Options, error) {
	keyFolder, filesFolder, err := f.findFolders(r)
	if err != nil {
		return sshserver.Options{}, err
	}
	options := sshserver.Options{
		HostKey:  filepath.Join(keyFolder, "host_ed25519"),
		Dir:      filepath.Join(filesFolder, "users"),
		Log:      r.service.Log,
		Patience: f.Patience,
		Keys:     f.Keys,
		Check:    r.checkLogin,
	}
	if f.Profiles != "" {
		options.Open = func(ctx context.Context, l *sshserver.Login) (tui.Options, error) {
			return openProfile(ctx, f.Profiles, l.User)
		}
		return options, nil
	}
	options.Open = r.openAccount
	options.Samples = filepath.Join(filesFolder, "surveys")
	if err := unpackSamples(options.Samples); err != nil {
		return sshserver.Options{}, err
	}
	return options, nil
}

// findFolders returns the folder of the host key and the folder of the users' files. Both are in the data folder
// of the service. Without a data folder, the key is in the state folder and the files are in a new temporary
// folder, which closing the room removes.
func (f *SSH) findFolders(r *TrainingRoom) (keyFolder, filesFolder string, err error) {
	if r.service.Dir != "" {
		folder := filepath.Join(r.service.Dir, "ssh")
		return folder, folder, nil
	}
	r.temp, err = atomicfile.NewTempFolder("ssh")
	if err != nil {
		return "", "", err
	}
	return filepath.Join(f.State, "ssh"), r.temp.Path, nil
}

// unpackSamples writes the sample survey files into a folder, unless they are there already.
func unpackSamples(folder string) error {
	err := os.CopyFS(folder, server.DemoSurveys())
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("unpack sample survey files: %w", err)
	}
	return nil
}

// View returns the room for one operations user, whose messages and other actions are recorded in the audit trail
// under the user's key. If the key is "", peer says who the user is. opsClient is the user's client of the operations
// API.
func (r *TrainingRoom) View(opsClient *ops.Client, peer server.Peer, key string) session.Room {
	return roomView{r, opsClient, peer, key}
}

// roomView is the room for an operations user.
type roomView struct {
	*TrainingRoom
	opsClient *ops.Client
	peer      server.Peer
	key       string // "" if the peer identifies the user
}

// Tell shows a message in the app of one participant, or of all participants if number is 0, and records in the audit
// trail that it was sent. It returns how many participants it was shown to.
func (r roomView) Tell(ctx context.Context, number int, text string) (reached int, err error) {
	participant := "everybody"
	if number != 0 {
		visits := r.Visits()
		i := slices.IndexFunc(visits, func(v session.Visit) bool { return v.Number == number })
		if i < 0 {
			return 0, errors.New("the note was not sent: the participant is no longer connected")
		}
		participant = visits[i].User
	}
	if err := r.service.RecordNote(ctx, r.peer, r.key, participant); err != nil {
		return 0, fmt.Errorf("the note was not sent: %w", err)
	}
	return r.Server.Tell(number, text), nil
}

// Play starts a scenario on the accounts of the connected participants, or on the shared account. It returns the
// number of these accounts.
func (r roomView) Play(ctx context.Context, scenario string) (accounts int, err error) {
	var uuids []string
	for _, visit := range r.Visits() {
		account, err := r.readAccount(visit.User)
		if err == nil && !slices.Contains(uuids, account.UUID) {
			uuids = append(uuids, account.UUID)
		}
	}
	if len(uuids) == 0 && !r.shared {
		return 0, errors.New("no participant is connected")
	}
	_, err = r.opsClient.World.PlayScenario(ctx, scenario, ops.PlayInput{Accounts: uuids})
	return max(1, len(uuids)), err
}

// sharesAccount reports whether a user has no own account, and works on the first account of the demo with
// other users.
func (r *TrainingRoom) sharesAccount(user string) bool {
	return r.shared || user == sshserver.Operations || user == sshserver.Viewer
}

// RestartRefusal returns why a user cannot get a new account, or "".
func (r roomView) RestartRefusal(user string) string {
	if r.sharesAccount(user) {
		return "this account is shared; restore the initial orders on Test controls"
	}
	return ""
}

// Restart gives a user a new account and ends the user's sessions.
func (r roomView) Restart(ctx context.Context, user string) error {
	if refusal := r.RestartRefusal(user); refusal != "" {
		return errors.New(refusal)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	created, err := r.opsClient.World.AddDemoAccount(ctx, ops.DemoAccountInput{CompanyName: user})
	if err != nil {
		return err
	}
	return r.assignAccount(user, server.DemoAccount{
		UUID:        created.UUID,
		CompanyName: created.CompanyName,
		Key:         created.Key,
		Scopes:      created.Scopes,
	})
}

// Close ends all sessions and removes the temporary folder. It does nothing if r is nil.
func (r *TrainingRoom) Close() error {
	if r == nil {
		return nil
	}
	var serverErr, tempErr error
	if r.Server != nil {
		serverErr = r.Server.Close()
	}
	if r.temp != nil {
		tempErr = r.temp.Remove()
	}
	return errors.Join(serverErr, tempErr)
}

// openAccount returns the options of the app for a user, with the client of the user's account.
func (r *TrainingRoom) openAccount(ctx context.Context, l *sshserver.Login) (tui.Options, error) {
	account, err := r.accountOf(ctx, l.User)
	if err != nil {
		return tui.Options{}, err
	}
	peer, opsKey := identify(l)
	transport := r.service.PeerTransport(peer)
	client, opsClient, err := newLocalClients(r.service, account.Key, opsKey, api.WithTransport(transport))
	if err != nil {
		return tui.Options{}, err
	}
	var o tui.Options
	o.Client = client
	o.Profile = l.User
	o.Company = account.CompanyName
	o.ServerMode = true
	o.ReadOnly = l.IsReadOnly()
	o.Fetch.Transport = transport
	o.Fetch.UserAgent = userAgent()
	if l.User == sshserver.Operations {
		o.Room = r.View(opsClient, peer, l.Secret)
		o.Ops = opsClient
		o.Role = l.Operator.Role
	}
	return o, nil
}

// identify returns the peer and the key by which the service identifies an operations user. The key is the secret
// of the login. A user who logged in with a public key has no secret: the peer then identifies the user, and the
// key is a placeholder, because a client must have one.
func identify(l *sshserver.Login) (peer server.Peer, opsKey string) {
	peer = server.Peer{Address: l.Address}
	if l.Secret != "" {
		return peer, l.Secret
	}
	peer.Operator = l.Operator.UUID
	return peer, "none"
}

// checkLogin reports whether a user can log in. A guest needs an invitation with the secret of the login. For an
// operations user, the secret must be a key of the operations API. Without a secret, the comment of the public
// key must name an operations user. checkLogin sets l.Operator to the operations user.
func (r *TrainingRoom) checkLogin(ctx context.Context, l *sshserver.Login) (isAllowed bool, err error) {
	if l.User != sshserver.Operations {
		return r.service.IsInvited(ctx, l.User, l.Secret)
	}
	if l.Secret != "" {
		l.Operator, err = r.service.OperatorByKey(ctx, l.Secret)
	} else {
		l.Operator, err = r.service.OperatorByName(ctx, l.Named)
	}
	if server.IsDenied(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, nil
}

// accountOf returns the account that a user works on.
func (r *TrainingRoom) accountOf(ctx context.Context, user string) (server.DemoAccount, error) {
	demo := r.service.Accounts()
	if len(demo) == 0 {
		return server.DemoAccount{}, errors.New("this data folder has no demo accounts")
	}
	if r.sharesAccount(user) {
		return demo[0], nil
	}
	return r.ownAccount(ctx, user)
}

// ownAccount returns a user's own account. It creates the account at the first login, and again after
// a reset of the service.
func (r *TrainingRoom) ownAccount(ctx context.Context, user string) (server.DemoAccount, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	account, err := r.readAccount(user)
	if err != nil {
		return r.newAccount(ctx, user)
	}
	isGone, err := r.isGone(ctx, account.UUID)
	if err != nil {
		return account, err
	}
	if isGone {
		return r.newAccount(ctx, user)
	}
	return account, nil
}

// isGone reports whether a reset of the service has removed an account or its orders.
func (r *TrainingRoom) isGone(ctx context.Context, account string) (bool, error) {
	client, err := r.service.Ops() // injected faults do not affect this client
	if err != nil {
		return false, err
	}
	orders, err := client.Orders.List(ctx, ops.OrderFilter{Account: account}, api.ListOptions{Limit: 1})
	if api.IsStatus(err, http.StatusNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return len(orders.Items) == 0, nil
}

// readAccount reads a user's own account from its file.
func (r *TrainingRoom) readAccount(user string) (account server.DemoAccount, err error) {
	text, err := os.ReadFile(r.accountFile(user))
	if err != nil {
		return account, err
	}
	err = json.Unmarshal(text, &account)
	return account, err
}

// newAccount creates an account for a user and assigns it.
func (r *TrainingRoom) newAccount(ctx context.Context, user string) (server.DemoAccount, error) {
	account, err := r.service.AddDemoAccount(ctx, user)
	if err != nil {
		return account, err
	}
	return account, r.assignAccount(user, account)
}

// assignAccount saves the account that a user works on from now on. It ends the user's sessions, which still use
// the previous account.
func (r *TrainingRoom) assignAccount(user string, account server.DemoAccount) error {
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
