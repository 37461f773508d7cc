package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"flightdesk/api"
)

func TestAChangeUsesTheMethodOfTheService(t *testing.T) {
	noRoutes := map[string]func(w http.ResponseWriter, r *http.Request){
		"express": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("<pre>Cannot " + r.Method + " " + r.URL.Path + "</pre>"))
		},
		"nest": func(w http.ResponseWriter, r *http.Request) {
			answer(w, http.StatusNotFound, `{"statusCode":404,"message":"Cannot `+r.Method+` `+r.URL.Path+`","error":"Not Found"}`)
		},
		"405": func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusMethodNotAllowed, `{}`) },
	}
	changes := map[string]struct {
		methods []string
		make    func(*api.Client) error
	}{
		"cancel":  {[]string{"POST", "PUT", "PATCH"}, func(c *api.Client) error { _, err := c.Orders.Cancel(t.Context(), "u1"); return err }},
		"archive": {[]string{"PUT", "PATCH"}, func(c *api.Client) error { _, err := c.Orders.Archive(t.Context(), "u1", "why"); return err }},
		"reject":  {[]string{"PUT", "PATCH"}, func(c *api.Client) error { _, err := c.Orders.Reject(t.Context(), "u1", "why"); return err }},
		"delete":  {[]string{"DELETE", "POST", "PUT", "PATCH"}, func(c *api.Client) error { return c.Webhooks.Delete(t.Context(), "u1") }},
	}
	for refusal, refuse := range noRoutes {
		for name, change := range changes {
			for _, has := range change.methods {
				var sent []string
				c := serve(t, func(w http.ResponseWriter, r *http.Request) {
					switch {
					case r.Method == http.MethodGet:
						answer(w, http.StatusNotFound, `{"success":false,"message":"not found","data":{"code":"not_found"}}`)
					case r.Method != has:
						sent = append(sent, r.Method)
						refuse(w, r)
					default:
						sent = append(sent, r.Method)
						answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u1","status":"`+api.OrderMove(name).PastTense()+`"}}`)
					}
				})
				if err := change.make(c); err != nil || sent[len(sent)-1] != has {
					t.Errorf("%s, %s by %s: sent %v, %v", refusal, name, has, sent, err)
				}
				sent = nil
				if err := change.make(c); err != nil || len(sent) != 1 {
					t.Errorf("%s, %s by %s again: sent %v, %v", refusal, name, has, sent, err)
				}
			}
		}
	}
}

func TestOtherMethodsAreTriedOnlyIfNothingWasDone(t *testing.T) {
	for _, a := range []struct {
		status int
		body   string
	}{
		{http.StatusNotFound, `{"success":false,"message":"order not found","data":{"code":"not_found"}}`},
		{http.StatusConflict, `{"success":false,"message":"no"}`},
		{http.StatusBadGateway, `<html>`},
		{http.StatusForbidden, `{"success":false,"message":"no"}`},
	} {
		var sent []string
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet && !slices.Contains(sent, r.Method) {
				sent = append(sent, r.Method)
			}
			answer(w, a.status, a.body)
		})
		if _, err := c.Orders.Cancel(t.Context(), "u1"); !api.IsStatus(err, a.status) || strings.Join(sent, " ") != "POST" {
			t.Errorf("%d: sent by %v, %v", a.status, sent, err)
		}
	}
}

func TestAServiceWithoutTheOperationReturnsTheFirstError(t *testing.T) {
	n := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		answer(w, http.StatusNotFound, `{"message":"Cannot `+r.Method+`"}`)
	})
	_, err := c.Orders.Cancel(t.Context(), "u1")
	if n != 3 || !api.IsStatus(err, http.StatusNotFound) || !strings.Contains(err.Error(), "Cannot POST") {
		t.Errorf("%d requests, %v", n, err)
	}
}

func TestAMethodIsReportedForTheNextClient(t *testing.T) {
	learned := map[string]string{}
	var sent []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Method)
		if r.Method != http.MethodPatch {
			answer(w, http.StatusMethodNotAllowed, `{}`)
			return
		}
		answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u1","status":"cancelled"}}`)
	})
	first, err := api.NewClient(c.BaseURL(), api.WithMethods(nil, func(operation, method string) { learned[operation] = method }))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Orders.Cancel(t.Context(), "u1"); err != nil || !maps.Equal(learned, map[string]string{"cancel order": "PATCH"}) {
		t.Errorf("%v, %v", learned, err)
	}
	sent = nil
	second, err := api.NewClient(c.BaseURL(), api.WithMethods(learned, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Orders.Cancel(t.Context(), "u1"); err != nil || !slices.Equal(sent, []string{"PATCH"}) {
		t.Errorf("%v, %v", sent, err)
	}
}
