package operations_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"flightdesk/api/server"
	"flightdesk/tui/apptest"
)

// hostile is an operations API that has the same odd text in every field.
func hostile(odd string) http.HandlerFunc {
	mission := `"uuid":"m-1","missionCode":"` + odd + `","missionName":"` + odd + `","status":"flightScheduled","operatorName":"` + odd + `","locationLabel":"` + odd +
		`","flightDate":"2026-11-30T09:00:00Z","updatedAt":"2026-11-20T09:00:00Z","planning":[{"version":2,"schedulingStatus":"` + odd + `","note":"` + odd +
		`"},{"version":1}],"flightPermission":{"status":"granted","authority":"` + odd + `"},"packages":[{"name":"` + odd + `","fileCount":-1,"totalSize":-9}]`
	order := func(n int, status string) string {
		return fmt.Sprintf(`"uuid":"o-%d","orderCode":"%s","orderName":"%s","status":"%s","accountUid":"a-1","createdAt":"2026-11-20T09:00:00Z","updatedAt":"2026-11-20T09:00:00Z",
			"account":{"uuid":"a-1","companyName":"%s","currency":"%s"}`, n, odd, odd, status, odd, odd)
	}
	quote := `{"uuid":"q-1","quoteId":"q-1","quoteName":"` + odd + `","status":"open","currency":"` + odd + `","finalPrice":1e300,"deliveryBy":"` + odd + `","expiryDate":"2026-12-30T09:00:00Z"}`
	return func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, server.OpsPath)
		one := func(body string) { apptest.WriteAnswer(w, 200, `{"success":true,"message":"","data":{`+body+`}}`) }
		switch {
		case r.Method != http.MethodGet && (strings.HasSuffix(path, "/keys") || strings.HasSuffix(path, "/approve")):
			one(`"uuid":"y-2","key":"` + odd + `","hint":"` + odd + `"`)
		case r.Method != http.MethodGet:
			apptest.WriteAnswer(w, 400, `{"success":false,"message":"`+odd+`","data":{"errors":[{"field":"`+odd+`","message":"`+odd+`"},{"field":"quoteName","message":"`+odd+`"}]}}`)
		case path == "/simulator":
			one(`"paused":false,"speed":1e300,"waiting":7,"upcoming":[{"does":"` + odd + `","orderCode":"` + odd + `","at":"` + odd + `"}],"lastError":"` + odd + `"`)
		case path == "/clock":
			one(`"now":"2026-11-24T08:42:00Z","ahead":"99999d","adjustable":true`)
		case path == "/faults":
			one(`"latency":"1s","status":503,"rate":0.5,"path":"` + odd + `","injected":-3`)
		case path == "/accounts":
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"a-1","companyName":"`+odd+`","clientName":"`+odd+`","clientEmail":"`+odd+`","currency":"`+odd+`"`))
		case path == "/key-requests":
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"k-1","accountUid":"a-1","intendedUse":"`+odd+`","scopes":["`+odd+`"],"status":"pending"`))
		case strings.HasSuffix(path, "/keys"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"y-1","hint":"`+odd+`","scopes":["`+odd+`"],"description":"`+odd+`"`))
		case strings.HasSuffix(path, "/webhooks"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"w-1","url":"`+odd+`","events":["`+odd+`"],"lastStatus":"`+odd+`"`))
		case strings.HasSuffix(path, "/deliveries"):
			apptest.WriteAnswer(w, 200, apptest.OrderList(`"uuid":"d-1","event":"`+odd+`","orderCode":"`+odd+`","error":"`+odd+`"`))
		case path == "/orders" && r.URL.Query().Get("status") == "biddingWithQuote":
			apptest.WriteAnswer(w, 200, apptest.OrderList(order(1, "biddingWithQuote")))
		case path == "/orders" && r.URL.Query().Get("status") == "flyingDateSet":
			apptest.WriteAnswer(w, 200, apptest.OrderList(order(2, "flyingDateSet")))
		case path == "/orders" && r.URL.Query().Get("status") == "":
			apptest.WriteAnswer(w, 200, apptest.OrderList(order(1, "biddingWithQuote"), order(2, "flyingDateSet"), order(3, odd)))
		case path == "/orders/o-1":
			one(order(1, "biddingWithQuote") + `,"missions":[{` + mission + `}],"quotes":[` + quote + `]`)
		case strings.HasPrefix(path, "/orders/o-"):
			one(order(2, "flyingDateSet") + `,"missions":[{` + mission + `}],"quotes":[` + quote + `]`)
		default:
			apptest.AnswerNothing(w, r)
		}
	}
}

// With odd texts, random keys and random window sizes, every line fits the window, no escape
// sequence reaches the terminal, and nothing panics.
func TestOddTextsOfTheServiceStayInsideTheWindow(t *testing.T) {
	odd := `\u001b[2J\u001b]52;c;eA==\u0007Größe 東京 é́ שלום 👩‍🚀 ` + strings.Repeat("very long ", 20)
	d := atOps(t, hostile(odd))
	d.RequireText("client decides", "deliver")
	r := rand.New(rand.NewPCG(3, 9))
	all := append(apptest.AllKeys(), "9", "9", "9", "]", "]", "enter", "enter", "tab", "v")
	for step := range 1200 {
		if r.IntN(14) == 0 {
			d.Resize(r.IntN(160), r.IntN(50))
		} else {
			d.Press(all[r.IntN(len(all))])
		}
		if c := d.App.Crashed(); c != nil {
			t.Fatalf("step %d: %v\n%s", step, c, c.Stack)
		}
		view := d.View()
		if view.Content == "" {
			continue
		}
		if strings.Contains(view.Content, "\x1b[2J") || strings.Contains(view.Content, "\x1b]52") {
			t.Fatalf("step %d: an escape sequence of the service is on the screen", step)
		}
		lines := strings.Split(view.Content, "\n")
		w := ansi.StringWidth(lines[0])
		for _, line := range lines {
			if ansi.StringWidth(line) != w {
				t.Fatalf("step %d: a line of %d cells among %d:\n%s", step, ansi.StringWidth(line), w, d.Screen())
			}
		}
		if c := view.Cursor; c != nil && (c.X < 0 || c.X >= max(1, w) || c.Y < 0 || c.Y >= len(lines)) {
			t.Fatalf("step %d: the cursor is at %d,%d of %dx%d:\n%s", step, c.X, c.Y, w, len(lines), d.Screen())
		}
	}
}

func TestThePaletteShowsReasonsOfTheServiceAsText(t *testing.T) {
	d := atOps(t, hostile(`\u001b[2J\u001b]52;c;eA==\u0007odd status`))
	d.Press("]", "down", "down", "enter") // the order with an unknown status
	d.Press("ctrl+p")
	d.Type("Quote…")
	d.RequireText("odd status")
	if strings.Contains(d.View().Content, "\x1b[2J") {
		t.Errorf("an escape of the service is on the screen:\n%s", d.Screen())
	}
}
