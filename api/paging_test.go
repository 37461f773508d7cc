package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"flightdesk/api"
)

// listCodes reads all orders and returns their codes.
func listCodes(t *testing.T, c *api.Client) (codes string, err error) {
	t.Helper()
	for o, failed := range c.Orders.All(t.Context()) {
		if failed != nil {
			return codes, failed
		}
		codes += o.OrderCode + " "
	}
	return codes, nil
}

func orderPage(members string, codes ...string) string {
	rows := make([]string, len(codes))
	for i, code := range codes {
		rows[i] = `{"uuid":"u-` + code + `","orderCode":"` + code + `"}`
	}
	return `{"success":true,"data":{"data":[` + strings.Join(rows, ",") + `]` + members + `}}`
}

func TestPagesAnnouncedByLinksAreFollowed(t *testing.T) {
	for name, announce := range map[string]func(w http.ResponseWriter, r *http.Request) (members string){
		"header": func(w http.ResponseWriter, r *http.Request) string {
			w.Header().Set("Link", `<http://`+r.Host+r.URL.Path+`?page=1>; rel="first", </deep/api/v1/public/orders?page=2>; title="x"; rel="next"`)
			return ""
		},
		"header with the query alone": func(w http.ResponseWriter, _ *http.Request) string {
			w.Header().Set("Link", `<?page=2>; rel=next`)
			return ""
		},
		"member": func(http.ResponseWriter, *http.Request) string {
			return `,"next":"/deep/api/v1/public/orders?page=2"`
		},
		"member of links": func(_ http.ResponseWriter, r *http.Request) string {
			return `,"links":{"next":"http://` + r.Host + `/deep/api/v1/public/orders?page=2"}`
		},
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("page") == "2" {
				answer(w, http.StatusOK, orderPage("", "B"))
				return
			}
			r.URL.Path = "/deep/api/v1/public" + r.URL.Path
			members := announce(w, r)
			answer(w, http.StatusOK, orderPage(members, "A"))
		})
		if codes, err := listCodes(t, c); codes != "A B " || err != nil {
			t.Errorf("%s: %q, %v", name, codes, err)
		}
	}
}

func TestALinkToAnotherListIsReportedAndNotFollowed(t *testing.T) {
	for _, link := range []string{"https://other.example/orders?page=2", "/deep/api/v1/public/webhooks?page=2", "/deep/api/v1/public/orders"} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "<"+link+`>; rel="next"`)
			answer(w, http.StatusOK, orderPage("", "A"))
		})
		codes, err := listCodes(t, c)
		var incomplete *api.IncompleteError
		if codes != "A " || !errors.As(err, &incomplete) || incomplete.Read != 1 {
			t.Errorf("%s: %q, %v", link, codes, err)
		}
	}
}

func TestHasNextPageFalseEndsAListDespiteACursor(t *testing.T) {
	for _, no := range []string{`"hasNextPage":false`, `"hasNextPage":"false"`, `"has_more":0`} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("cursor") {
				answer(w, http.StatusBadRequest, `{"success":false,"message":"bad cursor"}`)
				return
			}
			answer(w, http.StatusOK, orderPage(`,"nextCursor":"b",`+no, "A"))
		})
		if codes, err := listCodes(t, c); codes != "A " || err != nil {
			t.Errorf("%s: %q, %v", no, codes, err)
		}
	}
}

func TestAFailedPageKeepsTheRowsOfEarlierPages(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("cursor") {
			answer(w, http.StatusBadRequest, `{"success":false,"message":"bad cursor"}`)
			return
		}
		answer(w, http.StatusOK, orderPage(`,"nextCursor":"b"`, "A", "B"))
	})
	codes, err := listCodes(t, c)
	var incomplete *api.IncompleteError
	if codes != "A B " || !errors.As(err, &incomplete) || incomplete.Read != 2 || !api.IsStatus(err, http.StatusBadRequest) ||
		!strings.Contains(err.Error(), "bad cursor") {
		t.Errorf("%q, %v", codes, err)
	}
}

func TestARowThatMovesToTheNextPageIsListedOnce(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("cursor") {
			answer(w, http.StatusOK, orderPage(`,"hasNextPage":false`, "B", "C"))
			return
		}
		answer(w, http.StatusOK, orderPage(`,"nextCursor":"b"`, "A", "B"))
	})
	if codes, err := listCodes(t, c); codes != "A B C " || err != nil {
		t.Errorf("%q, %v", codes, err)
	}
}

func TestAnEndlessListReturnsTheRowsReadSoFar(t *testing.T) {
	n := 0
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		answer(w, http.StatusOK, orderPage(fmt.Sprintf(`,"nextCursor":"c%d"`, n), fmt.Sprint(n)))
	})
	read, err := count(c.Orders.All(t.Context()))
	var incomplete *api.IncompleteError
	if !errors.As(err, &incomplete) || incomplete.Read != read || read != 10_000 {
		t.Errorf("%d read, %v", read, err)
	}
}

func TestMissingMissionsOfAnOrderAreReadFromTheirList(t *testing.T) {
	const full = `{"uuid":"m1","missionCode":"MSN-1","status":"completed"},{"uuid":"m2","missionCode":"MSN-2","status":"completed"}`
	for _, missions := range []string{
		``, `,"missions":null`, `,"missions":[]`, `,"missions":{}`, `,"missions":7`, `,"missions":["m1","m2"]`, `,"missions":[{"uuid":"m1"},{"uuid":"m2"}]`,
		`,"missionList":[` + full + `]`, `,"missions":{"data":[{"uuid":"m1"},{"uuid":"m2"}],"hasNextPage":false}`,
		`,"missionCount":2`, `,"missionCount":2,"missions":[{"uuid":"m1","missionCode":"MSN-1"}]`,
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/missions") {
				answer(w, http.StatusOK, `{"success":true,"data":[`+full+`]}`)
				return
			}
			answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u1","orderCode":"ORD-1"`+missions+`}}`)
		})
		o, err := c.Orders.Get(t.Context(), "ORD-1")
		if err != nil || len(o.Missions) != 2 || o.Missions[1].MissionCode != "MSN-2" {
			t.Errorf("%s: %+v, %v", missions, o, err)
		}
	}
}

func TestUnreadableMissionsAreReportedWithTheOrder(t *testing.T) {
	for _, missions := range []string{``, `,"missions":null`, `,"missionCount":2`, `,"missions":[{"uuid":"m1"},{"uuid":"m2"}]`} {
		for _, list := range []string{`null`, `{"success":true,"data":null}`, `{}`, `<html>`} {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/missions") {
					answer(w, http.StatusOK, list)
					return
				}
				answer(w, http.StatusOK, `{"success":true,"data":{"uuid":"u1","orderCode":"ORD-1"`+missions+`}}`)
			})
			o, err := c.Orders.Get(t.Context(), "ORD-1")
			var missing *api.MissingError
			if !errors.As(err, &missing) || !api.IsPartial(err) || o == nil || o.OrderCode != "ORD-1" {
				t.Errorf("%s, %s: %+v, %v", missions, list, o, err)
			}
		}
	}
}

func TestAListIsFoundUnderAnyNameThreeLevelsDeep(t *testing.T) {
	for _, container := range []string{
		`{"things":[%s]}`, `{"status":"ok","things":[%s],"a":1,"b":2,"c":3,"d":4}`, `{"success":true,"data":{"things":[%s]}}`,
		`{"answer":{"body":{"things":[%s]}}}`, `{"uuid":"request-7","orders":[%s]}`, `{"things":[%s],"tags":["a"],"none":{}}`,
	} {
		body := fmt.Sprintf(container, strings.Replace(row, "{", `{"quotes":[{"quoteId":"q"}],`, 1))
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		if codes, err := listCodes(t, c); codes != "ORD-1 " || err != nil {
			t.Errorf("%s: %q, %v", body, codes, err)
		}
		c = serveLegacy(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, body) })
		if list, err := c.Records.List(t.Context(), api.RecordListOptions{}); len(list) != 1 || err != nil {
			t.Errorf("v2 %s: %+v, %v", body, list, err)
		}
	}
}
