package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/config"
)

// hostileTexts are names with which a guest could attack the terminals of others. Each has the word
// EVIL, which readers may see.
var hostileTexts = []string{
	"EVIL\x1b[2J", "\x1b[5mEVIL", "\x1b[1;1HEVIL", "EVIL\x1bc", // CSI and a reset
	"\x1b]0;EVIL\a", "\x1b]2;EVIL\x1b\\", "\x1b]8;;https://evil.example\x1b\\EVIL\x1b]8;;\x1b\\", "\x1b]52;c;RVZJTA==\aEVIL", // OSC
	"\x1bP$qEVIL\x1b\\", "\x1b_GEVIL\x1b\\", // DCS and APC
	"\u009b5mEVIL", "\u009d0;EVIL\u009c", "\u0090qEVIL\u009c", "\u0085EVIL", // C1
	"EVIL\u202e", "\u2066EVIL\u2069", "EVIL\u200f", // bidi
	"E\u200bVIL EVIL", "\ufeffEVIL", "EVIL\u2060\u00ad", // no width
	"EVIL\nEVIL", "EVIL\rEVIL", "\b\bEVIL", "EVIL\x7f", "EVIL\u2028EVIL", // lines and controls
}

// isHostile reports whether a terminal interprets a character instead of only drawing it.
func isHostile(r rune) bool {
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) ||
		strings.ContainsRune("\u200b\u2028\u2029\u2060\ufeff\u00ad", r)
}

// requireHarmlessText fails if text has characters that a terminal interprets.
func requireHarmlessText(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.ContainsFunc(line, isHostile) || strings.HasPrefix(line, "EVIL") {
			t.Errorf("%s has %q", what, line)
			return
		}
	}
}

// requireHarmlessScreen fails if the output for a terminal has control sequences other than the
// app's own.
func requireHarmlessScreen(t *testing.T, what, raw string) {
	t.Helper()
	parser := ansi.NewParser()
	state := byte(0)
	for raw != "" {
		seq, _, n, next := ansi.DecodeSequence(raw, state, parser)
		state, raw = next, raw[n:]
		isBad := false
		switch {
		case ansi.HasOscPrefix(seq):
			text := strings.TrimRight(strings.TrimPrefix(seq, "\x1b]"), "\a\x1b\\")
			isTitle := strings.HasPrefix(text, "2;flightdesk") // the title can contain names
			isNamed := strings.Contains(text, "EVIL") || strings.Contains(text, "evil.example")
			isBad = strings.ContainsFunc(text, isHostile) || isNamed && !isTitle || strings.HasPrefix(text, "52;")
		case ansi.HasCsiPrefix(seq):
			isBad = strings.HasPrefix(seq, "\u009b") || seq == "\x1b[5m" || strings.Contains(seq, ";5m") && !strings.Contains(seq, "8;5")
		case strings.HasPrefix(seq, "\x1b"):
			isBad = strings.Contains(seq, "EVIL") || seq == "\x1bc"
		case seq == "\r", seq == "\n", seq == "\b", seq == "\t", seq == "\a": // the app rings the bell itself
		default:
			isBad = strings.ContainsFunc(seq, isHostile)
		}
		if isBad {
			t.Errorf("%s has %q", what, seq)
			return
		}
	}
}

// hostileAccount is the account of a guest who uses hostile text for every name.
type hostileAccount struct {
	server.DemoAccount
	client *api.Client
	desk   *ops.Client
}

// nameEverything stores each hostile text under each name in the guest's account.
func (a *hostileAccount) nameEverything(ctx context.Context) error {
	now := time.Now()
	for i, text := range hostileTexts {
		order, err := a.client.Orders.Create(ctx, api.CreateOrderRequest{
			Order: api.OrderInput{
				CompanyName: text, OrderName: text, OrderType: api.SingleLocation, Sensors: []api.Sensor{"rgbSensor"},
				Deliverables: []api.Deliverable{"jpg"}, MissionObjective: "mapAndSurvey", IndustryAssetType: "waterManagement",
				StartDate: api.TimeOf(now), Deadline: api.TimeOf(now.Add(1000 * time.Hour)),
			},
			Missions: []api.MissionInput{{
				MissionName: text, MissionType: api.MissionAsset, Country: text, LocationLabel: text,
				LocationMap: []api.Point{{Lat: 53.54, Lng: 9.97}},
			}},
		}, api.NewIdempotencyKey())
		if err != nil {
			return fmt.Errorf("an order named %q: %w", text, err)
		}
		webhook := api.CreateWebhookRequest{
			URL: fmt.Sprintf("https://example.com/%d?%s", i, url.QueryEscape(text)), Description: text,
		}
		if i < api.MaxWebhooks/2 { // the demo already has endpoints
			if _, err := a.client.Webhooks.Create(ctx, webhook); err != nil {
				return fmt.Errorf("an endpoint: %w", err)
			}
		}
		if err := a.nameInOperations(ctx, order, text, i); err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
	}
	return nil
}

// nameInOperations stores a text about an order and its account through the operations API.
func (a *hostileAccount) nameInOperations(ctx context.Context, order *api.Order, text string, i int) error {
	_, err := a.desk.Accounts.Create(ctx, ops.AccountInput{CompanyName: text, ClientName: text})
	if err != nil {
		return fmt.Errorf("an account: %w", err)
	}
	_, err = a.desk.Accounts.Create(ctx, ops.AccountInput{CompanyName: text, ClientEmail: text + "@example.com"})
	if err == nil && strings.ContainsFunc(text, isHostile) {
		return errors.New("an address with characters that a terminal obeys is not refused")
	}
	use := ops.KeyRequestInput{IntendedUse: text, Scopes: api.Scopes()}
	if _, err := a.desk.Keys.Request(ctx, a.UUID, use); err != nil {
		return fmt.Errorf("a key request: %w", err)
	}
	if _, err := a.desk.Keys.Issue(ctx, a.UUID, ops.KeyInput{Scopes: api.Scopes(), Description: text}); err != nil {
		return fmt.Errorf("a key: %w", err)
	}
	if i%2 == 1 {
		_, err = a.desk.Orders.Reject(ctx, order.UUID, text)
		return err
	}
	quote := ops.QuoteInput{
		QuoteName: text, Description: text, ReasonForDiscount: text, DiscountPercent: 5, DeliveryBy: 5,
		PriceBeforeDiscount: 100, ExpiryDate: api.TimeOf(time.Now().Add(100 * time.Hour)),
	}
	_, err = a.desk.Quotes.Issue(ctx, order.UUID, quote)
	return err
}

// openHostileAccount opens the account of user1, whose program also has a hostile name.
func openHostileAccount(t *testing.T, r *trainingRoom) *hostileAccount {
	t.Helper()
	account, err := r.readAccount("user1")
	if err != nil {
		t.Fatal(err)
	}
	client, desk, err := newLocalClients(
		r.service, account.Key, r.service.OpsKey,
		api.WithTransport(hostileHeaders{r.service.Transport()}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return &hostileAccount{account, client, desk}
}

// hostileHeaders is a transport that puts hostile text in the headers of requests.
type hostileHeaders struct{ next http.RoundTripper }

func (h hostileHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("User-Agent", "EVIL\u202e\u009b5m\x1b[2J")
	r.Header.Set("X-Request-ID", "\x1b[2JEVIL\u202e")
	return h.next.RoundTrip(r)
}

// openWideApp opens the app in a large terminal.
func openWideApp(t *testing.T, c *ssh.Client) *screen {
	t.Helper()
	s := openApp(t, c, "xterm-256color", "LANG=C.UTF-8")
	if err := s.WindowChange(60, 200); err != nil {
		t.Fatal(err)
	}
	return s
}

// Names of a guest are harmless on the screens of others, in the output of commands and in the log.
func TestNamesOfAGuestAreHarmlessForOthers(t *testing.T) {
	t.Parallel()
	r := openRoom(t, nil)
	first := openWideApp(t, r.login(t, "user1"))
	first.shows(t, "Needs a decision")
	hostile := openHostileAccount(t, r)
	if err := hostile.nameEverything(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.typeKeys(t, "2")
	first.typeKeys(t, "r") // the orders may have been read before they had these names
	first.shows(t, "EVIL")
	t.Run("screens of the account", func(t *testing.T) { checkGuestScreens(t, r, first) })
	t.Run("operations", func(t *testing.T) { checkOperationsScreens(t, r) })
	t.Run("commands", func(t *testing.T) { checkCommands(t, r, hostile.Key) })
	requireHarmlessText(t, "the log", r.log.String())
}

// placesOf returns the pages that people have open, as the room lists them. A terminal gets only the
// changes of a title, so a test cannot wait for a title on the screen.
func placesOf(r *trainingRoom) (places string) {
	for _, v := range r.Visits() {
		places += v.User + " " + v.Place + "\n"
	}
	return places
}

// openPage types keys that open a page. It types them again if no page opens, because a list whose
// rows are not loaded has no row to open.
func openPage(t *testing.T, r *trainingRoom, s *screen, keys string) {
	t.Helper()
	before := placesOf(r)
	for late := time.Now().Add(patience); placesOf(r) == before; {
		if time.Now().After(late) {
			t.Fatalf("%q opens no page", keys)
		}
		s.typeKeys(t, keys)
		for soon := time.Now().Add(8 * time.Second); placesOf(r) == before && time.Now().Before(soon); {
			<-time.After(5 * time.Millisecond)
		}
	}
}

// selectFirst selects the first row of a list, whose details have the text want. It types the keys again if the details
// do not appear, because the rows may not be loaded, and the page itself may select another row while it loads.
func selectFirst(t *testing.T, s *screen, want string) {
	t.Helper()
	late := time.Now().Add(patience)
	isShown := func() bool { return strings.Contains(ansi.Strip(s.String()[s.seen:]), want) }
	keys := []string{"G", "g"} // the last row and the first row
	for i := 0; !isShown(); i++ {
		if time.Now().After(late) {
			t.Fatalf("no row with %q", want)
		}
		s.typeKeys(t, keys[i%len(keys)])
		for soon := time.Now().Add(time.Second); !isShown() && time.Now().Before(soon); {
			<-time.After(5 * time.Millisecond)
		}
	}
}

// checkGuestScreens visits the pages in another session of the account, on a screen and as lines of
// text.
func checkGuestScreens(t *testing.T, r *trainingRoom, first *screen) {
	other := openWideApp(t, r.login(t, "user1"))
	other.shows(t, "Needs a decision")
	for _, step := range []struct{ keys, shows string }{
		{"2", "EVIL"},
		{"\r", ""},
		{"s", ""},
		{"3", "EVIL"},
		{"\r", ""},
		{"4", "EVIL"},
		{"\r", ""},
		{"5", ""},
		{"6", ""},
		{"7", ""},
		{"\r", ""},
		{"8", ""},
		{"1", ""},
	} {
		openPage(t, r, other, step.keys)
		other.shows(t, step.shows)
		if step.keys == "7" {
			selectFirst(t, other, "EVIL")
		}
	}
	for _, v := range r.Visits() {
		requireHarmlessText(t, "the place of a visit", v.Place+" "+v.User)
	}
	r.Tell(0, strings.Join(hostileTexts, " "))
	other.shows(t, "Note from the trainer")
	first.shows(t, "Note from the trainer")
	requireHarmlessScreen(t, "the screen of another session", other.String())
	requireHarmlessScreen(t, "the screen of the first session", first.String())
	if title := "\x1b]2;"; !strings.Contains(other.String(), title) {
		t.Error("no window title is set")
	}
	lines := openApp(t, r.login(t, "user1"), "")
	lines.shows(t, "== Home")
	lines.typeKeys(t, "orders\n")
	lines.shows(t, "EVIL")
	lines.typeKeys(t, "quotes\nmissions\nquit\n")
	if err := lines.Wait(); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(lines.String(), "\r\n", "\n")) {
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), isHostile) {
			t.Errorf("the lines of the app have %q", line)
		}
	}
}

// checkOperationsScreens visits the tabs of Operations.
func checkOperationsScreens(t *testing.T, r *trainingRoom) {
	s := openWideApp(t, r.login(t, "operations", ssh.Password(r.service.OpsKey)))
	s.typeKeys(t, "9")
	s.shows(t, "Key requests")
	for _, tab := range []string{"EVIL", "EVIL", "EVIL", "", "", "", "", ""} {
		s.typeKeys(t, "]")
		s.shows(t, tab)
	}
	s.typeKeys(t, "8")
	s.shows(t, "Inspect")
	s.typeKeys(t, "1")
	s.shows(t, "Home")
	requireHarmlessScreen(t, "the operator's screen", s.String())
}

// checkCommands runs commands with the keys of operations and of the account.
func checkCommands(t *testing.T, r *trainingRoom, key string) {
	commands := []string{
		"list orders", "list missions", "list quotes", "list audit", "list callbacks", "list endpoints", "list requests", "find EVIL",
		"ops orders", "ops accounts", "ops key-requests", "ops keys user1", "ops users", "ops invitations",
	}
	env := environment(t, map[string]string{
		"FLIGHTDESK_BASE_URL": r.service.BaseURL(), "FLIGHTDESK_API_KEY": key,
		"FLIGHTDESK_LEGACY_BASE_URL": r.service.LegacyURL(),
		"FLIGHTDESK_OPS_URL":         r.service.OpsURL(), "FLIGHTDESK_OPS_KEY": r.service.OpsKey,
	})
	for _, command := range commands {
		isEvil := false
		for _, output := range []string{"table", "csv", "json"} {
			text := combinedOutput(t, env, append(strings.Fields(command), "--output", output)...)
			isEvil = isEvil || strings.Contains(text, "EVIL")
			requireHarmlessText(t, command+" as "+output, text)
		}
		showsNames := []string{"list orders", "list missions", "list quotes", "list audit", "list endpoints", "find EVIL", "ops orders", "ops accounts"}
		if slices.Contains(showsNames, command) && !isEvil {
			t.Errorf("%s does not show the names", command)
		}
	}
}

// combinedOutput runs a command in this process, which is faster than in another one. It returns what the command
// writes to standard output and standard error. The command must succeed.
func combinedOutput(t *testing.T, env config.Env, args ...string) string {
	t.Helper()
	var text strings.Builder
	p := &program{Ctx: t.Context(), Env: env}
	root := rootCommand(p)
	root.SetIn(strings.NewReader(""))
	root.SetOut(&text)
	root.SetErr(&text)
	root.SetArgs(args)
	if err := errors.Join(root.ExecuteContext(p.Ctx), p.Fault); err != nil {
		t.Errorf("%v: %v: %s", args, err, text.String())
	}
	return text.String()
}

// Files of a guest have harmless names. The log has the names of users as they were sent, but with
// escapes.
func TestFileNamesOfAGuestAreHarmless(t *testing.T) {
	t.Parallel()
	r := openRoom(t, nil)
	c := r.login(t, "user1")
	files, err := sftp.NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	names := append([]string{"EVIL\x9b2J", "EVIL\xff"}, hostileTexts...)
	for _, name := range names {
		name = strings.ReplaceAll(name, "/", "")
		if f, err := files.Create(name); err == nil {
			_ = f.Close()
			t.Errorf("a file is named %q", name)
		}
		if err := files.Mkdir(name); err == nil {
			t.Errorf("a folder is named %q", name)
		}
		if _, err := r.tryLogin(name, ssh.Password("wrong")); err == nil {
			t.Errorf("%q logs in", name)
		}
	}
	f, err := files.Create("Größe 👩‍🚀 東京.csv")
	if err != nil {
		t.Fatalf("a harmless name is refused: %v", err)
	}
	_, _ = io.WriteString(f, "name,lat,lng\nA,48.71,9.11\n")
	_ = f.Close()
	if err := files.Rename("Größe 👩‍🚀 東京.csv", "EVIL\u202e"); err == nil {
		t.Error("a file gets a hostile name")
	}
	if all, err := files.ReadDir("/"); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	r.log.waitFor(t, 0, "login failed")
	requireHarmlessText(t, "the log", r.log.String())
}

// Text of clients is harmless in both formats of the log.
func TestTheLogIsHarmless(t *testing.T) {
	for _, output := range []string{"table", "json"} {
		var text strings.Builder
		log := newLogger(&text, output)
		for _, name := range hostileTexts {
			log.With("user", name).Warn("login failed", "error", errors.New(name), name, name)
		}
		requireHarmlessText(t, "the log as "+output, text.String())
		if lines := strings.Count(text.String(), "\n"); lines != len(hostileTexts) {
			t.Errorf("%d lines", lines)
		}
	}
}
