//go:build unix

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/changes"
	"flightdesk/tui/app/webhooks"
)

// A draft can have the name of a site in other texts too, if a path was typed into a field. Only the
// names of sites count.
var (
	siteNames  = regexp.MustCompile(`Mast\d{4}Q`)
	draftSites = regexp.MustCompile(`"Name":"Mast\d{4}Q"`)
)

// drafted returns the sites in the files of drafts, including drafts that were put aside.
func (w *windows) drafted() map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(filepath.Join(w.places, "flightdesk", "drafts"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // The file was removed meanwhile.
		}
		if data, err := os.ReadFile(path); err == nil {
			for _, name := range draftSites.FindAllString(string(data), -1) {
				found[siteNames.FindString(name)] = path + "\n" + string(data)
			}
		}
		return nil
	})
	return found
}

// ordered returns the number of orders of each site.
func (w *windows) ordered() map[string]int {
	w.t.Helper()
	found := map[string]int{}
	for o, err := range w.client.Orders.All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		if w.demos[o.OrderCode] {
			continue
		}
		full, err := w.client.Orders.Get(w.t.Context(), o.OrderCode)
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range full.Missions {
			if name := siteNames.FindString(full.Missions[i].MissionName); name != "" {
				found[name]++
			}
		}
	}
	return found
}

// check compares the drafts on disk and the orders with the previous state. The other window may still work.
func (w *windows) check() {
	w.t.Helper()
	drafted, ordered := w.drafted(), w.ordered()
	for site, where := range w.seen {
		if drafted[site] != "" || ordered[site] > 0 || w.isFoundAgain(site) {
			continue
		}
		path, _, _ := strings.Cut(where, "\n")
		now, err := os.ReadFile(path)
		w.t.Errorf("kill %d: %s is in no draft and in no order; it was in %s\nwhich is now (%v) %s", w.kills, site, where, err, now)
		delete(w.seen, site)
	}
	maps.Copy(w.seen, drafted)
	w.checkEvents()
	w.checkFiles()
	w.checkDecisions()
	for site, n := range ordered {
		w.seen[site] = "an order"
		if n > 1 {
			w.t.Errorf("kill %d: %s was ordered %d times", w.kills, site, n)
		}
	}
}

// isFoundAgain reads the drafts and the orders again, and reports whether one of them has a site. A window may have
// renamed the file of the draft while the files were read, so that no name of the file was found.
func (w *windows) isFoundAgain(site string) bool {
	w.t.Helper()
	return w.drafted()[site] != "" || w.ordered()[site] > 0
}

// quote issues a quote for an order that waits for one.
func (w *windows) quote() {
	w.t.Helper()
	for o, err := range w.ops.Orders.All(w.t.Context(), ops.OrderFilter{Status: api.OrderBiddingWithQuote}) {
		if err != nil {
			w.t.Fatal(err)
		}
		full, err := w.ops.Orders.Get(w.t.Context(), o.UUID)
		if err != nil {
			w.t.Fatal(err)
		}
		in := full.SuggestQuote(0, time.Now())
		in.QuoteName, in.ExpiryDate = fmt.Sprintf("Offer %d", w.kills), api.TimeOf(time.Now().Add(time.Hour))
		if _, err := w.ops.Quotes.Issue(w.t.Context(), o.UUID, in); err != nil {
			w.t.Fatal(err)
		}
		return
	}
}

// listening returns the endpoints that the windows have registered.
func (w *windows) listening(ctx context.Context) (ids []string) {
	for e, err := range w.client.Webhooks.All(ctx) {
		if err == nil && strings.HasPrefix(e.Description, "flightdesk listen ") {
			ids = append(ids, e.UUID)
		}
	}
	return ids
}

// ring makes the service send events to the windows that listen.
func (w *windows) ring(ctx context.Context) {
	for ctx.Err() == nil {
		for _, id := range w.listening(ctx) {
			_, _ = w.ops.Webhooks.Test(ctx, id, api.EventDataDelivered) // the endpoint can be deleted already
		}
		select {
		case <-ctx.Done():
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// checkEvents checks that the log of received events has all events that a window acknowledged.
func (w *windows) checkEvents() {
	w.t.Helper()
	var acknowledged []string
	for _, id := range w.listening(w.t.Context()) {
		for row, err := range w.client.Webhooks.AllDeliveries(w.t.Context(), id) {
			switch {
			case api.IsStatus(err, http.StatusNotFound): // a window stopped listening
			case err != nil:
				w.t.Fatal(err)
			case row.Success:
				acknowledged = append(acknowledged, row.UUID)
			}
		}
	}
	kept := map[string]int{}
	logs, _ := filepath.Glob(filepath.Join(w.places, "flightdesk", "received", "*.jsonl"))
	for _, path := range logs {
		data, _ := os.ReadFile(path)
		for line := range strings.Lines(string(data)) {
			var h webhooks.ReceivedEvent
			if json.Unmarshal([]byte(line), &h) == nil {
				kept[h.Event.ID]++
			}
		}
	}
	for _, id := range acknowledged {
		if kept[id] != 1 && !w.heard[id] {
			w.t.Errorf("kill %d: the event %s was acknowledged and is kept %d times", w.kills, id, kept[id])
		}
		w.heard[id] = true
	}
	for id, n := range kept {
		if n > 1 {
			w.t.Errorf("kill %d: the event %s is kept %d times", w.kills, id, n)
		}
	}
}

// checkDecisions compares the log of decisions with the service: a decision that the log calls done
// was made once, and a decision that was made is in the log. The other window may still decide: it records a
// decision before it sends it, and confirms it afterwards. So the log is read before and after the service.
func (w *windows) checkDecisions() (n int) {
	w.t.Helper()
	_, confirmed := w.loggedDecisions()
	rejected := w.rejectedQuotes()
	decided, _ := w.loggedDecisions()
	for id, name := range rejected {
		switch {
		case w.before[id]: // an order of the demo
		case !decided[id]:
			w.t.Errorf("kill %d: %s was rejected, and no log says so", w.kills, name)
			w.before[id] = true
		case confirmed[id] > 1:
			w.t.Errorf("kill %d: %s is said to be rejected %d times", w.kills, name, confirmed[id])
		}
		delete(confirmed, id)
	}
	for id := range confirmed {
		w.t.Errorf("kill %d: the quote %s is said to be rejected, and is not", w.kills, id)
	}
	return len(decided)
}

// loggedDecisions reads the log of decisions. It returns the quotes that were to be rejected, and how often each
// rejection was confirmed.
func (w *windows) loggedDecisions() (decided map[string]bool, confirmed map[string]int) {
	w.t.Helper()
	entries, err := changes.OpenLog(filepath.Join(w.places, "flightdesk", "decisions.jsonl")).Entries()
	if err != nil {
		w.t.Errorf("the log of decisions: %v", err)
	}
	decided, confirmed = map[string]bool{}, map[string]int{}
	for i := range entries {
		if e := &entries[i]; e.Kind == changes.QuoteRejected {
			decided[e.Quote.ID] = true
			if e.IsConfirmed() {
				confirmed[e.Quote.ID]++
			}
		}
	}
	return decided, confirmed
}

// rejectedQuotes returns the names of the rejected quotes at the service, by ID.
func (w *windows) rejectedQuotes() map[string]string {
	w.t.Helper()
	names := map[string]string{}
	for o, err := range w.client.Orders.All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		record, err := w.client.Records.Get(w.t.Context(), o.UUID)
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range record.RejectedQuotes {
			quote := &record.RejectedQuotes[i]
			names[quote.QuoteID] = quote.QuoteName + " of " + o.OrderCode
		}
	}
	return names
}

// fetchAll downloads the deliveries of all orders into a folder.
func (w *windows) fetchAll(folder string) {
	w.t.Helper()
	for o, err := range w.client.Orders.All(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		record, err := w.client.Records.Get(w.t.Context(), o.UUID)
		if err != nil {
			w.t.Fatal(err)
		}
		if w.kills == 0 {
			w.demos[o.OrderCode] = true
			for i := range record.RejectedQuotes {
				w.before[record.RejectedQuotes[i].QuoteID] = true
			}
		}
		if record.DeliveryFiles.Len() == 0 {
			continue
		}
		if out, err := w.program("fetch", o.OrderCode, "--to", filepath.Join(w.places, folder)).CombinedOutput(); err != nil {
			w.t.Errorf("fetch %s: %v\n%s", o.OrderCode, err, out)
		}
	}
}

// downloadFolder returns the download folder of the app.
const downloadFolder = "Downloads/flightdesk"

// filesOf returns the digests of the complete files in a folder, by path.
func (w *windows) filesOf(folder string) map[string][32]byte {
	files := map[string][32]byte{}
	root := filepath.Join(w.places, folder)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err != nil || d.IsDir() || strings.Contains(name, ".part") || strings.HasPrefix(d.Name(), ".") || strings.Contains(d.Name(), "manifest.json") {
			return nil //nolint:nilerr // The file was removed meanwhile.
		}
		if data, err := os.ReadFile(path); err == nil {
			files[name] = sha256.Sum256(data)
		}
		return nil
	})
	return files
}

func (w *windows) downloaded() int { return len(w.filesOf(downloadFolder)) }

// checkFiles compares the downloaded files with the files that one undisturbed program has
// downloaded.
func (w *windows) checkFiles() {
	w.t.Helper()
	want := w.filesOf("reference")
	for name, sum := range w.filesOf(downloadFolder) {
		if is, ok := want[name]; !ok || is != sum {
			w.t.Errorf("kill %d: %s is not as the service has it (known: %v)", w.kills, name, ok)
		}
	}
}

// checkAllFiles downloads the missing files and checks all files.
func (w *windows) checkAllFiles() int {
	w.t.Helper()
	w.fetchAll(downloadFolder)
	w.checkFiles()
	want, got := w.filesOf("reference"), w.filesOf(downloadFolder)
	if len(want) != len(got) || len(want) == 0 {
		w.t.Errorf("%d files are here, of %d", len(got), len(want))
	}
	return len(got)
}
