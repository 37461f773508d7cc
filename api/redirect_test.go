package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"flightdesk/api"
)

const movedOrder = `{"success":true,"data":{"uuid":"u1","orderCode":"ORD-1","orderName":"Levee","url":"https://a.example","status":"cancelled","missions":[{"missionCode":"MSN-1"}]}}`

func TestRedirectsOnTheSameHostAreFollowedAsTheirStatusAllows(t *testing.T) {
	calls := map[string]struct {
		read bool
		make func(*api.Client) error
	}{
		"read":    {true, func(c *api.Client) error { _, err := c.Orders.Get(t.Context(), "ORD-1"); return err }},
		"v2 read": {true, func(c *api.Client) error { _, err := c.Records.Get(t.Context(), "ORD-1"); return err }},
		"move":    {false, func(c *api.Client) error { _, err := c.Orders.Archive(t.Context(), "u1", "why"); return err }},
		"create": {false, func(c *api.Client) error {
			_, err := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "k")
			return err
		}},
		"register": {false, func(c *api.Client) error {
			_, err := c.Webhooks.Create(t.Context(), api.CreateWebhookRequest{URL: "https://a.example"})
			return err
		}},
	}
	for status := 301; status <= 308; status++ {
		if status > 303 && status < 307 {
			continue
		}
		for name, call := range calls {
			var moved string
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if path, is := strings.CutPrefix(r.URL.Path, "/old"); is {
					http.Redirect(w, r, "/new"+path, status)
					return
				}
				body, _ := io.ReadAll(r.Body)
				moved = r.Method + " " + string(body) + " " + r.Header.Get("Authorization")
				answer(w, http.StatusOK, strings.Replace(movedOrder, "cancelled", "archived", 1))
			}))
			c, err := api.NewClient(web.URL+"/old", api.WithLegacyURL(web.URL+"/old"), api.WithKey("key"))
			if err != nil {
				t.Fatal(err)
			}
			err = call.make(c)
			web.Close()
			followed := call.read || status >= 307
			if followed != (err == nil) || followed != strings.HasSuffix(moved, " Bearer key") {
				t.Errorf("%s, %d: %q, %v", name, status, moved, err)
			}
			if followed && name == "move" && !strings.HasPrefix(moved, `POST {"reason":"why"}`) {
				t.Errorf("%s, %d: %q", name, status, moved)
			}
			if !followed && (api.MaybeApplied(err) || !strings.Contains(fmt.Sprint(err), "not done: the service redirects to")) {
				t.Errorf("%s, %d: %v", name, status, err)
			}
		}
	}
}

func TestTheKeyIsNeverSentToAnotherHost(t *testing.T) {
	asked := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked = true
		answer(w, http.StatusOK, movedOrder)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path+"?secret=1", status)
		})
		_, read := c.Orders.Get(t.Context(), "ORD-1")
		_, created := c.Orders.Create(t.Context(), api.CreateOrderRequest{}, "k")
		if asked || read == nil || created == nil || api.MaybeApplied(created) || strings.Contains(created.Error(), "secret") {
			t.Errorf("%d: asked %t, %v, %v", status, asked, read, created)
		}
	}
}

func TestEndlessRedirectsAreAnError(t *testing.T) {
	n := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		http.Redirect(w, r, fmt.Sprintf("/deep/api/v1/public/orders/%d", n), http.StatusTemporaryRedirect)
	})
	if _, err := c.Orders.Get(t.Context(), "ORD-1"); err == nil || n > 10 {
		t.Errorf("%d requests, %v", n, err)
	}
}
