package deliveries_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi/kitty"

	"flightdesk/api"
	"flightdesk/api/fetch"
	"flightdesk/api/ops"
	"flightdesk/api/server"
	"flightdesk/tui"
	"flightdesk/tui/app/deliveries"
	"flightdesk/tui/app/session"
	"flightdesk/tui/apptest"
	"flightdesk/tui/tuitest"
)

// harbour is the app on a real service with one order of which the data is
// delivered, and Operations that delivers.
type harbour struct {
	*apptest.Session
	ops      *ops.Client
	folder   string // where downloads go
	views    string
	base     string
	key      string
	fetch    fetch.Options
	valve    *valve
	order    *api.Order
	account  string
	opened   []string
	copied   string
	readOnly bool
	drafts   string
	demo     bool // what is made ends with the run
	graphics bool // the terminal may have some
}

// openDeliveries begins with a mission's package. The service hands out links to
// itself. It has files of more products where these are named.
func openDeliveries(t *testing.T, w, h int, more ...api.Deliverable) *harbour {
	t.Helper()
	s := &server.Server{Now: func() time.Time { return tuitest.Clock }}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := s.Listen(t.Context(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	desk, err := ops.NewClient(s.OpsURL(), s.OpsKey)
	if err != nil {
		t.Fatal(err)
	}
	account, err := desk.Accounts.Create(t.Context(), ops.AccountInput{CompanyName: "ACME Geo GmbH"})
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.IssueKey(t.Context(), account.UUID, api.Scopes())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	x := &harbour{
		account: account.UUID, valve: &valve{}, ops: desk, folder: filepath.Join(home, "data"), views: filepath.Join(home, "views.json"), base: s.BaseURL(), key: key,
	}
	x.fetch.Transport = x.valve
	client, err := api.NewClient(x.base, api.WithKey(key), api.WithLegacyURL(s.LegacyURL()), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	x.place(t, client, more)
	x.start(t, client, w, h)
	return x
}

// start opens the app, as its user does the first time or once more.
func (x *harbour) start(t *testing.T, client *api.Client, w, h int) {
	t.Helper()
	x.fetch.Dir = x.folder
	x.Session = apptest.OpenOn(t, tuitest.New(t), x.base, x.key, "ACME Geo GmbH", w, h, func(o *tui.Options) {
		o.Client, o.Profile, o.ServerMode, o.Views, o.Fetch, o.ReadOnly = client, "acme", false, x.views, x.fetch, x.readOnly
		o.Graphics = x.graphics
		if x.demo {
			o.Profile, o.ServerMode, o.Drafts = session.Demo, true, x.drafts
		}
		o.Clipboard = func(text string) (string, error) {
			x.copied = text
			return "", nil
		}
		o.Opener = func(path string) error {
			x.opened = append(x.opened, path)
			return nil
		}
	})
}

// place brings an order to the day of its flight, and delivers.
func (x *harbour) place(t *testing.T, client *api.Client, more []api.Deliverable) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o, err := client.Orders.Create(ctx, api.CreateOrderRequest{
		Order: api.OrderInput{
			CompanyName: "ACME Geo GmbH", OrderName: "Maasvlakte quay", OrderType: api.SingleLocation,
			Sensors: []api.Sensor{"rgbSensor"}, Deliverables: append([]api.Deliverable{"jpg", "_2dMap", "topographicMap"}, more...),
			MissionObjective: "mapAndSurvey", IndustryAssetType: "ports",
			StartDate: api.TimeOf(tuitest.Clock.AddDate(0, 0, 2)), Deadline: api.TimeOf(tuitest.Clock.AddDate(0, 0, 20)),
		},
		Missions: []api.MissionInput{{
			MissionName: "Quay west", MissionType: api.MissionArea, Country: "Netherlands", LocationLabel: "Quay", AreaSize: 40_000,
			LocationMap: []api.Point{{Lat: 51.957, Lng: 4.021}, {Lat: 51.957, Lng: 4.024}, {Lat: 51.959, Lng: 4.024}},
		}},
	}, "")
	must(err)
	quote, err := x.ops.Quotes.Issue(ctx, o.UUID, ops.QuoteInput{
		QuoteName: "AeroScan", DeliveryBy: 9, PriceBeforeDiscount: 900, ExpiryDate: api.TimeOf(tuitest.Clock.AddDate(0, 0, 3)),
	})
	must(err)
	_, err = client.Quotes.Accept(ctx, o.UUID, quote.QuoteID)
	must(err)
	x.order, err = client.Orders.Get(ctx, o.OrderCode)
	must(err)
	mission := x.order.Missions[0].UUID
	_, err = x.ops.Missions.AssignOperator(ctx, mission, "Wanjiru Kamau")
	must(err)
	_, err = x.ops.Missions.Schedule(ctx, mission, ops.FlightInput{FlightDate: api.TimeOf(tuitest.Clock.AddDate(0, 0, 4))})
	must(err)
	_, err = x.ops.Missions.GenerateDelivery(ctx, mission)
	must(err)
}

// until looks at the downloads until they are as they are waited for.
func (x *harbour) until(t *testing.T, what string, as func(*deliveries.Downloads) bool) {
	t.Helper()
	d := x.App.Downloads()
	for end := time.Now().Add(time.Minute); !as(d); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("waiting for %s: %+v\n%s", what, d.Items, x.Screen())
		}
		x.Send(deliveries.DownloadWork{Downloads: d, Free: d.Free})
	}
}

func idle(d *deliveries.Downloads) bool { return len(d.Items) > 0 && !d.Busy() }

// valve lets downloads through, or holds each of them after some bytes.
type valve struct {
	mu   sync.Mutex
	shut chan struct{} // closed when the valve is opened; nil while it is open
	few  int64
}

// close has each answer stop after so many bytes.
func (v *valve) close(few int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut, v.few = make(chan struct{}), few
}

func (v *valve) open() {
	v.mu.Lock()
	defer v.mu.Unlock()
	close(v.shut)
	v.shut = nil
}

func (v *valve) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil && v.shut != nil && r.Method == http.MethodGet {
		resp.Body = &held{resp.Body, r, v.shut, v.few}
	}
	return resp, err
}

// held is a body behind a valve that is closed.
type held struct {
	io.ReadCloser
	r    *http.Request
	shut chan struct{}
	few  int64
}

func (h *held) Read(p []byte) (int, error) {
	if h.few == 0 {
		select {
		case <-h.shut:
			return h.ReadCloser.Read(p)
		case <-h.r.Context().Done():
			return 0, h.r.Context().Err()
		}
	}
	n, err := h.ReadCloser.Read(p[:min(int64(len(p)), h.few)])
	h.few -= int64(n)
	return n, err
}

// whole fails the test unless every file of the delivery is in the folder, and
// nothing that is not whole.
func (x *harbour) whole(t *testing.T) {
	t.Helper()
	packages, err := fetch.Order(t.Context(), x.Client, x.order.OrderCode)
	if err != nil || len(packages) == 0 {
		t.Fatalf("%d packages, %v", len(packages), err)
	}
	for _, p := range packages {
		standings, err := fetch.InspectFolder(x.folder, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range standings {
			if info, err := os.Stat(s.At); !s.Whole || err != nil || info.Size() != s.File.Size {
				t.Errorf("%s is not whole: %+v, %v", s.File.Name, s, err)
			}
		}
	}
}

func TestDeliveriesAreChosenAndFetched(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	x.Press("5")
	x.RequireText("▿ Quay west v1 "+x.order.Missions[0].MissionCode, "▹ photo-0001…0003.jpg ×3", "2D map", "new", "5 new files")
	if screen := x.Screen(); !strings.Contains(screen, "[5 Deliveries (1)]") {
		t.Errorf("the section has no badge:\n%s", screen)
	}
	x.Press("j", "space", "space", "f")
	x.until(t, "the photos and a map", idle)
	x.RequireText("4 files (", "downloaded to", "✓")
	if n := len(x.App.Downloads().Items); n != 4 {
		t.Fatalf("%d files were fetched, 4 marked", n)
	}
	x.Press("F")
	x.until(t, "the rest", idle)
	x.RequireText("nothing new")
	x.SeesNot("failed")
	x.whole(t)
	x.Press("F")
	x.RequireText("download new: no new files")
	x.Press("O", "j", "o")
	if len(x.opened) != 2 || !strings.HasPrefix(x.opened[1], x.folder) {
		t.Errorf("opened %q", x.opened)
	}
}

func TestADownloadIsPausedResumedAndStopped(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	x.valve.close(1000)
	x.Press("5", "j", "enter", "j", "f")
	x.until(t, "some bytes", func(d *deliveries.Downloads) bool { return len(d.Items) == 1 && d.Items[0].Done >= 1000 })
	x.RequireText("─ Downloads  0 of 1", "1.0 of", "↓ 0 of 1 file", "no limit", "%")
	x.RequireText(" 1 file downloading, 4 new · ", "[5 Deliveries (1)]")
	if bar := x.View().ProgressBar; bar == nil || bar.Value < 1 {
		t.Errorf("the tab shows %+v", bar)
	}
	x.Press("2")
	x.RequireText("─ Downloads  0 of 1") // it stays while one works elsewhere
	x.Press("D")
	x.SeesNot("─ Downloads")
	x.RequireText("↓ 0 of 1 file")
	x.Press("5", "p")
	x.until(t, "the pause", idle)
	x.RequireText("paused", "= ")
	x.Press("P")
	if kept, err := os.ReadFile(x.views); err != nil || strings.Contains(string(kept), `"paused"`) {
		t.Errorf("after a kill it comes back paused: %s, %v", kept, err)
	}
	x.until(t, "the way on", (*deliveries.Downloads).Busy)
	x.valve.open()
	x.until(t, "the end", idle)
	x.RequireText("1 file (", "downloaded to")

	x.valve.close(10)
	x.Press("G", "f")
	x.until(t, "some bytes", func(d *deliveries.Downloads) bool { return len(d.Items) == 1 && d.Items[0].Done >= 10 })
	x.Press("C")
	x.RequireText("Stop", "Deletes the 10 B downloaded so far.")
	x.Press("enter")
	x.until(t, "the stop", func(d *deliveries.Downloads) bool { return d.Unfinished() == 0 })
	if found, _ := filepath.Glob(filepath.Join(x.folder, "*", "*", "*", "*.part")); len(found) > 0 {
		t.Errorf("%v is left", found)
	}
}

func TestQuittingAsksAndComingBackGoesOn(t *testing.T) {
	x := openDeliveries(t, 100, 30)
	x.valve.close(2000)
	x.Press("5", "F")
	x.until(t, "some bytes", func(d *deliveries.Downloads) bool { return d.Sum.Done >= 4000 })
	all := len(x.App.Downloads().Items)
	x.Press("q")
	x.RequireText("Quit", "Downloads resume at the next start.", "enter quit")
	x.Press("esc")
	if x.Quit {
		t.Fatal("esc quits")
	}
	x.Press("q", "enter")
	if !x.Quit {
		t.Fatal("enter does not quit")
	}
	x.Close()
	x.valve.open()
	kept, err := os.ReadFile(x.views)
	if err != nil || strings.Contains(string(kept), "http") || strings.Contains(string(kept), "token") {
		t.Fatalf("kept %s, %v", kept, err)
	}

	x.start(t, x.Client, 100, 30)
	x.RequireText("downloads resumed")
	x.until(t, "the rest", idle)
	if n := len(x.App.Downloads().Items); n != all {
		t.Errorf("%d downloads came back of %d", n, all)
	}
	x.whole(t)
	x.Press("q")
	if !x.Quit {
		t.Error("quitting asks though nothing is being fetched")
	}
}

// busyOnce answers the first request for files of a package with 429.
type busyOnce struct{ done atomic.Bool }

func (b *busyOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/files") && !b.done.Swap(true) {
		return &http.Response{
			StatusCode: http.StatusTooManyRequests, Request: r, Body: http.NoBody,
			Header: http.Header{"Retry-After": {"60"}, "Content-Type": {"application/json"}},
		}, nil
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestDownloadsThatCouldNotBeResumedAreResumedLater(t *testing.T) {
	x := openDeliveries(t, 100, 30)
	x.valve.close(2000)
	x.Press("5", "F")
	x.until(t, "some bytes", func(d *deliveries.Downloads) bool { return d.Sum.Done >= 4000 })
	all := len(x.App.Downloads().Items)
	x.Press("q", "enter")
	x.Close()
	x.valve.open()
	client, err := api.NewClient(x.base, api.WithKey(x.key), api.WithTransport(&busyOnce{}), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	x.start(t, client, 100, 30)
	if n := len(x.App.Downloads().Items); n != 0 {
		t.Fatalf("%d downloads came back at once", n)
	}
	x.Advance(31 * time.Second)
	x.until(t, "the rest", idle)
	if n := len(x.App.Downloads().Items); n != all {
		t.Errorf("%d downloads came back of %d", n, all)
	}
	x.whole(t)
}

// Nothing of a demo is there again: what is on its way, what is here, and the
// draft are all named before.
func TestQuittingTheDemoSaysThatDownloadsAndTheDraftAreLost(t *testing.T) {
	x := openDeliveries(t, 100, 30)
	x.Close()
	x.demo, x.drafts = true, t.TempDir()
	x.start(t, x.Client, 100, 30)
	x.Press("5")
	x.valve.close(10)
	x.Press("F")
	x.until(t, "some bytes", func(d *deliveries.Downloads) bool { return d.Sum.Done >= 10 })
	x.Press("q")
	x.RequireText("Quit", "The demo deletes drafts and downloads on exit.", "esc back")
	x.SeesNot("Downloads resume at the next start.", "downloaded file")
	x.Press("esc")
	x.valve.open()
	x.until(t, "the end", idle)
	n := len(x.App.Downloads().Items)
	x.Press("q")
	x.RequireText("Quit", fmt.Sprintf("%d downloaded files in the demo folder.", n), "The demo deletes drafts and downloads on exit.")
	x.Press("esc", "2", "n")
	x.Paste(filepath.Join(x.drafted(t), "quay.csv"))
	x.Press("enter", "ctrl+c")
	x.RequireText("Quit", "Draft quay.csv (1 site) is not placed.", fmt.Sprintf("%d downloaded files", n), "The demo deletes drafts and downloads on exit.")
	if x.Press("esc"); x.Quit {
		t.Fatal("esc quits")
	}
	x.Press("ctrl+c", "enter")
	if !x.Quit {
		t.Error("enter does not quit")
	}
}

// drafted is a folder with a file to make a draft of.
func (x *harbour) drafted(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "quay.csv"), []byte("name,country,lat,lng\nQuay,Netherlands,51.957,4.021\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestALinkThatHasExpiredIsRenewed(t *testing.T) {
	x := openDeliveries(t, 100, 30)
	x.Press("5")
	x.RequireText("Quay west")
	if _, err := x.ops.World.AdvanceClock(t.Context(), 30*time.Hour); err != nil {
		t.Fatal(err)
	}
	x.Suspend(30 * time.Hour)
	x.Press("F")
	x.until(t, "the files", idle)
	x.RequireText(" downloaded to ")
	x.SeesNot("failed")
	x.whole(t)
}

func TestAFullDiskStopsAndGoesOnOnceThereIsRoom(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	x.Close()
	var mu sync.Mutex
	free := int64(4<<20 + 1000)
	x.fetch.Free = func(string) (int64, error) {
		mu.Lock()
		defer mu.Unlock()
		return free, nil
	}
	x.start(t, x.Client, 140, 40)
	x.Press("5", "F")
	x.RequireText("The disk is full", "Free some space, or press e in Deliveries to select another folder.")
	if entries, err := os.ReadDir(x.folder); err == nil {
		for _, e := range entries {
			if found, _ := filepath.Glob(filepath.Join(x.folder, e.Name(), "*", "*", "photo*")); len(found) > 0 {
				t.Errorf("%v was begun", found)
			}
		}
	}
	mu.Lock()
	free = 1 << 40
	mu.Unlock()
	x.Press("F")
	x.until(t, "the files", idle)
	x.RequireText(" downloaded to ")
	x.whole(t)
}

func TestTheFolderAndTheBandwidthAreChosen(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	x.Press("5", "B")
	x.RequireText("Speed limit")
	x.Press("ctrl+u")
	x.Type("fast")
	x.Press("enter")
	x.RequireText("is not a valid rate; use 500kB or 10MB")
	x.Press("ctrl+u")
	x.Type("50MB")
	x.Press("enter")
	x.RequireText("Downloads limited to 50.0 MB per second")
	other := t.TempDir()
	x.Press("e", "ctrl+u")
	x.Paste(other)
	x.Press("enter", "F")
	x.folder = other
	x.until(t, "the files", idle)
	x.whole(t)
	x.Close()
	x.fetch.Dir = "/nowhere"
	x.start(t, x.Client, 140, 40)
	if d := x.App.Downloads(); d.Dir() != other || d.Rate() != 50_000_000 {
		t.Errorf("back with %s, %d", d.Dir(), d.Rate())
	}
	x.Press("5")
	x.RequireText("nothing new")
}

func TestFilesAreLookedAt(t *testing.T) {
	x := openDeliveries(t, 100, 30, "digitalTerrainModel", "thermalMap")
	x.Press("5", "/")
	x.Type("file:tif")
	x.Press("enter", "enter")
	x.RequireText("Product     2D map", "Size        ") // it is not here yet
	x.SeesNot("renews", "Digest")
	x.Press("esc", "o")
	x.RequireText("open file: not downloaded yet; press f")
	x.Press("F")
	x.until(t, "the files", idle)
	for name, sees := range map[string]string{
		"photo-0001": "px · jpeg", "orthomosaic": "px · tiff", "dtm": "terrain height, m", "thermal": "surface temperature, deg C",
	} {
		x.Press("/", "ctrl+u")
		x.Type("file:" + name)
		x.Press("enter", "enter")
		x.RequireText(sees, "esc close")
		x.Press("esc", "esc")
	}
	x.Press("/")
	x.Type("file:geojson")
	x.Press("enter", "enter")
	x.RequireText("no preview of .geojson files; o opens the file")
}

// A file that was downloaded is looked at, opened and copied by one key each,
// and its path is shown to its end in any window.
func TestTheFooterOffersWhatADownloadedFileIsFor(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 35}, {200, 60}} {
		x := openDeliveries(t, size[0], size[1])
		x.Press("5", "G")
		x.RequireText("f download", "▸   contours.geojson")
		x.SeesNot("O open folder   o")
		x.Press("F")
		x.until(t, "the files", idle)
		x.RequireText("enter preview", "o open file", "O open folder")
		x.SeesNot("f download")
		path := filepath.Join(x.folder, x.order.OrderCode, x.order.Missions[0].MissionCode, "v1", "contours.geojson")
		if shown := strings.Join(strings.FieldsFunc(x.Screen(), func(r rune) bool { return strings.ContainsRune(" \n│⢸⡇", r) }), ""); !strings.Contains(shown, "v1/contours.geojson") {
			t.Errorf("at %v the path is cut:\n%s", size, x.Screen())
		}
		x.Press("y")
		x.RequireText("Copied the path")
		if x.copied != path {
			t.Errorf("copied %q, want %q", x.copied, path)
		}
		tuitest.RequireExact(t, "the screen", x.View().Content, size[0], size[1])
	}
}

func TestAFlatListSaysWhichPackageAFileIsOf(t *testing.T) {
	x := openDeliveries(t, 80, 24)
	x.Press("5")
	x.SeesNot("Package")
	x.Press("v")
	x.RequireText("Package", "photo-0002.jpg", "Quay west")
	x.Press("/")
	x.Type("package:quay")
	x.RequireText("5 of 5")
	x.Press("esc", "v")
	x.SeesNot("Package")
}

// A picture that is here is drawn beside the table, once it is selected for a
// moment.
func TestAPictureStandsBesideItsRow(t *testing.T) {
	x := openDeliveries(t, 140, 40)
	x.Press("5", "j", "j")
	x.RequireText("▸   orthomosaic.tif")
	x.Advance(time.Second)
	x.SeesNot("▀") // it is not here yet
	x.Press("F")
	x.until(t, "the files", idle)
	x.Press("k", "enter", "j")
	x.RequireText("▸     photo-0001.jpg")
	x.SeesNot("▀")
	x.Advance(time.Second)
	x.RequireText("Picture     384 × 256 px", "▀▀▀▀")
	tuitest.RequireExact(t, "the screen", x.View().Content, 140, 40)
	x.Press("j")
	x.SeesNot("▀")
	x.Press("k")
	x.Advance(time.Second)
	x.RequireText("▀")
	x.Press("m")
	x.SeesNot("▀")
	x.Press("esc", "G")
	x.RequireText("▸   contours.geojson")
	x.Advance(time.Second)
	x.SeesNot("▀")
	x.Press("k")
	x.Advance(time.Second)
	x.RequireText("▀")
	x.Resize(100, 30)
	x.SeesNot("▀")
}

// Where the terminal has graphics it draws the picture, at characters that
// follow the window.
func TestAPictureIsDrawnByTheTerminal(t *testing.T) {
	x := openDeliveries(t, 100, 30)
	x.Close()
	x.graphics = true
	x.start(t, x.Client, 100, 30)
	x.Press("5", "F")
	x.until(t, "the files", idle)
	x.Press("/")
	x.Type("file:photo-0001")
	x.Press("enter", "enter")
	x.RequireText("▀")
	x.Press("esc")
	x.Send(tea.TerminalVersionMsg{Name: "kitty(0.35.2)"})
	x.Press("enter")
	x.RequireText("px · jpeg", "esc close")
	for _, size := range [][2]int{{100, 30}, {80, 24}, {200, 60}} {
		x.Resize(size[0], size[1])
		tuitest.RequireExact(t, "the screen", x.View().Content, size[0], size[1])
		if n := strings.Count(x.Screen(), string(kitty.Placeholder)); n < 500 || strings.Contains(x.Screen(), "▀") {
			t.Errorf("at %v it has %d placeholders:\n%s", size, n, x.Screen())
		}
	}
	x.Press("esc")
	x.SeesNot(string(kitty.Placeholder))
	t.Setenv("NO_COLOR", "1")
	x.Close()
	x.start(t, x.Client, 100, 30)
	x.Send(tea.TerminalVersionMsg{Name: "kitty(0.35.2)"})
	x.Press("5", "/")
	x.Type("file:photo-0001")
	x.Press("enter", "enter")
	x.RequireText("px · jpeg")
	x.SeesNot(string(kitty.Placeholder))
}

func TestReadOnlyFetches(t *testing.T) {
	x := openDeliveries(t, 100, 30)
	x.Close()
	x.readOnly = true
	x.start(t, x.Client, 100, 30)
	x.Press("5", "F")
	x.until(t, "the files", idle)
	x.whole(t)
}

func TestFilesAndFoldersAreLinks(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "Käthes files")
	for _, term := range []string{"xterm-256color", "linux"} {
		t.Setenv("TERM", term)
		d := apptest.Open(t, 140, 40, func(o *tui.Options) { o.Fetch.Dir = folder })
		d.Press("5")
		want := "\x1b]8;;file://" + strings.ReplaceAll(strings.ReplaceAll(filepath.ToSlash(folder), " ", "%20"), "ä", "%C3%A4")
		if got := strings.Contains(d.View().Content, want); got != (term != "linux") {
			t.Errorf("TERM=%s: the folder is a link: %v", term, got)
		}
		if content := d.View().Content; strings.Count(content, "\x1b]8;;file") != strings.Count(content, want) || strings.Contains(content, "token") {
			t.Errorf("there are other links: %q", content)
		}
	}
}
