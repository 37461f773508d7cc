package operations_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/app/commands"
	"flightdesk/tui/apptest"
)

func TestAKeyRequestIsApprovedAndItsKeyRevoked(t *testing.T) {
	d, opsClient := apptest.OpenOperations(t, 120, 36)
	d.Press("]", "]", "]")
	d.RequireText("[Key requests 3]", "◆ Pending")
	d.Press("n")
	d.RequireText("Simulate key request", "orders:read, files:read", "Requests a key as a client would")
	d.Type("wall screen in the lobby")
	d.Press("enter")
	d.RequireText("Key request pending: wall screen in the lobby", "[Key requests 4]")
	d.Press("g")
	d.RequireText("“wall screen in the lobby”")
	d.Press("A")
	d.RequireText("Approve request", "“wall screen in the lobby”", "Scopes: orders:read files:read", "Issues the key")
	d.Press("enter")
	d.Advance(time.Second)
	d.RequireText("New key", "fd_test_", "Copy the key now: it is not shown again.")
	key := keyOn(t, d.Screen())
	d.Press("c")
	d.RequireText("Sent to the terminal's clipboard: the key · select it with the mouse")
	d.Press("esc")
	d.SeesNot("fd_test_")
	d.Press("g", "A")
	d.RequireText("approve: the request is already approved")
	client, err := api.NewClient(d.Options.Client.BaseURL(), api.WithKey(key), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Orders.List(t.Context(), api.ListOptions{}); err != nil {
		t.Fatalf("the new key does not work: %v", err)
	}

	// Revoking it on the account's page needs its last characters.
	d.Press("[", "/")
	d.Type("nordlicht")
	d.Press("enter", "enter")
	d.RequireText("Operations › Nordlicht Windkraft GmbH", "[Keys]", "••••"+key[len(key)-4:], "Active")
	d.SeesNot(key)
	d.Press("g", "delete")
	d.RequireText("Revoke key", "••••"+key[len(key)-4:]+" of Nordlicht Windkraft GmbH", "Cannot be undone")
	d.Press("enter")
	d.RequireText("Revoke key") // nothing was typed
	d.Type(key[len(key)-4:])
	d.Press("enter")
	d.RequireText(" revoked", "Revoked")
	if _, err := client.Orders.List(t.Context(), api.ListOptions{}); !api.IsStatus(err, 401) {
		t.Errorf("the revoked key says %v", err)
	}
	d.Press("g", "delete")
	d.RequireText("revoke: ••••" + key[len(key)-4:] + " is already revoked")

	// A request is declined with a reason.
	d.Press("esc", "esc", "]", "j", "X")
	d.RequireText("Decline request")
	d.Press("enter")
	d.RequireText("enter a reason")
	d.Type("use the import you have")
	d.Press("enter")
	d.RequireText("Key request declined:")
	requests, err := opsClient.Keys.Requests(t.Context(), api.ListOptions{})
	if err != nil || requests.Items[1].Status != ops.KeyRequestDeclined || *requests.Items[1].Reason != "use the import you have" {
		t.Errorf("the requests are %+v, %v", requests, err)
	}
}

// keyOn returns the API key on the screen.
func keyOn(t *testing.T, screen string) string {
	t.Helper()
	key := regexp.MustCompile(`fd_test_[0-9A-Za-z]{43}`).FindString(screen)
	if key == "" {
		t.Fatalf("there is no whole key on the screen:\n%s", screen)
	}
	return key
}

func TestAKeyIsIssuedAndShownOnce(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 60, 18)
	d.Press("]", "]")
	d.Press("enter")
	d.Press("n")
	d.RequireText("Issue key: Open Ground Relief", "Scopes")
	d.Press("space", "tab")
	d.Type("field laptops")
	d.Press("tab")
	d.Type("in 2 weeks")
	d.Press("enter")
	d.Advance(time.Second)
	key := regexp.MustCompile(`fd_test_[0-9A-Za-z]{43}`).FindString(strings.NewReplacer("\n", "", "│", "", " ", "").Replace(d.Screen()))
	if key == "" {
		t.Fatalf("the key is not whole in a narrow window:\n%s", d.Screen())
	}
	d.Press("esc")
	d.RequireText("••••"+key[len(key)-4:], "Active")
	d.Press("/")
	d.Type("state:active")
	d.RequireText("••••" + key[len(key)-4:])
	d.Press("esc")
}

// While another request is being sent, a form keeps its input.
func TestAFormStaysOpenWhileAnotherRequestIsSent(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 100, 30)
	d.Press("]", "]", "enter")
	d.Hold()
	d.Press("p", "n", "space", "tab")
	d.Type("field laptops")
	d.Press("enter")
	d.RequireText("Issue key: Open Ground Relief", "field laptops")
	d.Release()
	d.RequireText("Issue key: Open Ground Relief", "field laptops")
	d.Press("enter")
	d.RequireText("Copy the key now: it is not shown again")
}

func TestARejectedFormOpensAgainWithItsErrors(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 100, 30)
	d.Press("]", "]", "n")
	d.RequireText("New account", "cannot be deleted")
	d.Type("Hafen AG")
	d.Press("tab", "tab", "tab", "ctrl+u")
	d.Type("EURO")
	d.Press("enter")
	d.Advance(time.Second)
	d.RequireText("New account", "Hafen AG", "The service rejected the values marked below.", "Currency")
	d.Press("ctrl+u")
	d.Type("NOK")
	d.Press("enter")
	d.RequireText("Account created: Hafen AG", "NOK")
	d.Press("g", "c")
	d.RequireText("Edit account")
	d.Type("Ida Havn")
	d.Press("enter")
	d.RequireText("Account saved: Hafen AG", "Ida Havn")
}

func TestACallbackIsResent(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 120, 36)
	d.Press("]", "]", "/")
	d.Type("nordlicht")
	d.Press("enter", "enter", "]", "]")
	d.RequireText("[Endpoints]", "https://")
	d.Press("t")
	d.RequireText("Send test event", "The event is signed")
	d.Press("esc", "enter")
	d.RequireText("✗ Unknown host name", "MSN-300538")
	d.Press("S")
	d.RequireText("Resend callback", "keeps its ID", "41 failed callbacks")
	d.Press("enter")
	d.RequireText("1 callback is being sent again")
}

// Support has no key of the client. Accounts and orders that are selected in Operations or found
// in the palette open as the client sees them, without the client's own changes.
func TestAnyAccountIsInspected(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 120, 36)
	d.Press("]", "]", "/")
	d.Type("köln")
	d.Press("enter", "I")
	d.RequireText("Inspect Stadtplanungsamt Köln", "geoportal.stadtplanung-koeln.invalid", "15 orders")
	d.SeesNot("Key permissions")
	d.Press("esc", "]", "esc", ":")
	d.Type("ord-100237")
	d.RequireText(`▸ Find "ord-100237" in all accounts`)
	d.Press("enter")
	d.RequireText("ORD-100237", "Stadtplanungsamt Köln: Brückenprüfung", "Not subscribed to Operator assigned: geoportal", "✓ Operator assigned")
	d.Press("o")
	d.RequireText("› ORD-100237")
	d.Press("C")
	d.RequireText("only a key of the account can change it")
	d.Press("esc", "esc", ":")
	d.Type("Open Ground")
	d.Press("enter")
	d.RequireText("Inspect Open Ground Relief Mapping")
	d.Press("esc", ":")
	d.Type("MSN-399999")
	d.Press("enter")
	d.RequireText(`Nothing found for "MSN-399999"`)
}

// Inspect shows the failed requests of an account with the reason, and lists all requests.
func TestInspectShowsTheRequestsOfAnAccount(t *testing.T) {
	d, opsClient := apptest.OpenOperations(t, 140, 40)
	koeln, err := commands.FindAccount(t.Context(), opsClient, "köln")
	if err != nil {
		t.Fatal(err)
	}
	key, err := opsClient.Keys.Issue(t.Context(), koeln.UUID, ops.KeyInput{Scopes: api.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	client, err := api.NewClient(d.Options.Client.BaseURL(), api.WithKey(key.Key), api.WithBackoff(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Orders.Get(t.Context(), "ORD-100237"); err != nil {
		t.Fatal(err)
	}
	if _, err := opsClient.Keys.Revoke(t.Context(), key.UUID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := client.Orders.Get(t.Context(), "ORD-100237"); !api.IsStatus(err, 401) {
			t.Fatal(err)
		}
	}
	ending := "••••" + key.Hint
	d.Press("9", ":")
	d.Type("••••" + key.Hint)
	d.Press("enter")
	d.RequireText("Inspect Stadtplanungsamt Köln", "Failed requests", "2 in the last 30 days",
		"! 401", "GET /orders/ORD-100237", "key_revoked, 2 times, key "+ending)
	d.Press("a")
	d.RequireText("› Requests", "3 requests", "key_revoked", ending, "127.0.0.1")
	d.Resize(80, 24)
	d.RequireText("Time  Method  Path", "GET     /orders/ORD-100237 ")
	d.SeesNot("/api/v1/public")
	d.Resize(140, 40)
	d.Press("b")
	d.RequireText("401")
	d.SeesNot(" 200 ")
	d.Press("esc", "9", ":")
	d.Type("ORD-100237")
	d.Press("enter")
	d.RequireText("Timeline of ORD-100237", "! GET 401 key_revoke", "/orders/ORD-100237")
	d.Press("b", "enter")
	d.RequireText("› Requests", "3 requests", "key_revoked")
}

// The palette opens the page of anything a ticket mentions, and lists several results.
func TestThePaletteFindsAnythingATicketMentions(t *testing.T) {
	d, opsClient := apptest.OpenOperations(t, 120, 36)
	find := func(text string) {
		t.Helper()
		d.Press("9", ":")
		d.Type(text)
		d.RequireText("in all accounts")
		d.Press("end", "pgdown", "enter")
	}
	koeln, err := commands.FindAccount(t.Context(), opsClient, "köln")
	if err != nil {
		t.Fatal(err)
	}
	var endpoint *api.WebhookEndpoint
	for e, err := range opsClient.Webhooks.All(t.Context(), koeln.UUID) {
		if err != nil {
			t.Fatal(err)
		}
		endpoint = e
	}
	log, err := opsClient.Webhooks.Deliveries(t.Context(), endpoint.UUID, api.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	order, err := opsClient.Orders.Get(t.Context(), "ORD-100237")
	if err != nil {
		t.Fatal(err)
	}
	find("koeln")
	d.RequireText("Inspect Stadtplanungsamt Köln")
	find(koeln.ClientEmail)
	d.RequireText("Inspect Stadtplanungsamt Köln")
	find(endpoint.URL)
	d.RequireText("› "+strings.TrimPrefix(endpoint.URL, "https://"), "delivered")
	callback := log.Items[2]
	find(callback.UUID)
	d.RequireText("› "+strings.TrimPrefix(endpoint.URL, "https://"), callback.UUID[:23], callback.UUID[24:])
	find(order.Quotes[0].UUID)
	d.RequireText("Timeline of ORD-100237", "▸ 16 Nov", "Express rejected", "Source: the order's quotes")
	find(".invalid")
	d.RequireText("choose what", "endpoint · Stadtplanungsamt Köln")
	d.Type("bauakte")
	d.Press("enter")
	d.RequireText("› bauakte")
	find("no-such-thing")
	d.RequireText(`Nothing found for "no-such-thing"`)
}

func TestATaskSaysItsNextStepWithItsKey(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 120, 35)
	d.Press("9", "g")
	d.RequireText("Next        accept: press A · waiting 93 d", "A accept…")
	d.SeesNot("d deliver…", "t permit…") // possible, but not the next step
	d.Press("d")
	d.RequireText("Deliver")
	d.Press("esc", "/")
	d.Type("next:client")
	d.Press("enter")
	d.RequireText("Next        client decides · waiting")
}

func TestTheTitlesOfBothSidesAreAtTheLeftOfTheirPanes(t *testing.T) {
	d, _ := apptest.OpenOperations(t, 140, 40)
	d.Press("9", "v")
	var title, order int
	for line := range strings.Lines(d.Screen()) {
		if before, _, ok := strings.Cut(line, "CLIENT VIEW"); ok {
			title = len([]rune(before))
		}
		if before, _, ok := strings.Cut(line, "│ ORD-"); ok && order == 0 {
			order = len([]rune(before)) + len("| ")
		}
	}
	if title == 0 || title != order {
		t.Errorf("the title begins in column %d, the order in column %d", title, order)
	}
}
