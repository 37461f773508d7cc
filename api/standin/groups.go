package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const (
	ordersPath   = `/public/orders`
	orderPath    = `/public/orders/ORD-[0-9]+`
	recordPath   = `/getorder/[^/]+`
	recordsPath  = `/getorderslist`
	decisionPath = `/quote/[^/]+`
	planningPath = `/planning`
	permitPath   = `/flight-permission`
	packagesPath = `/delivery-packages`
	filesPath    = `/delivery-packages/[^/]+/files`
	hooksPath    = `/public/webhooks`
	hookPath     = `/public/webhooks/[^/]+`
	logPath      = `/public/webhooks/[^/]+/deliveries`
	cancelPath   = `/cancel`
)

// inRecords rewrites both reads of quotes.
func inRecords(rewrite Rewrite) Rewrite {
	return Both(At(http.MethodPost, recordPath, rewrite), At(http.MethodPost, recordsPath, rewrite))
}

// money returns prices in other forms.
func money() (list []Variant) {
	for _, p := range Prices() {
		v := Variant{
			Group:   "money",
			Name:    p.Sent,
			Topic:   Quotes,
			Rewrite: inRecords(Members(map[string]string{"finalPrice": p.Sent, "priceBeforeDiscount": p.Sent})),
		}
		switch {
		case p.Read:
			v.Shows = []string{Amount(p.Amount) + " EUR"}
		case p.Raw == "":
			v.Never = []string{"0.00 EUR"}
		default:
			v.Shows = []string{strings.TrimSuffix(strings.TrimPrefix(p.Raw, "{"), "}")[:min(len(p.Raw)-1, 12)]}
			v.Never = []string{"cheapest", "1.00 EUR", "1.39 EUR", "1,388.00 EUR", "1,388.43 EUR"}
		}
		list = append(list, v)
	}
	return list
}

// Amount returns a sum as people see it.
func Amount(v float64) string {
	text := fmt.Sprintf("%.2f", v)
	whole, cents, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + "." + cents
}

// containers returns lists and records in other containers.
func containers() (list []Variant) {
	for _, c := range ListContainers() {
		list = append(
			list,
			Variant{Group: "containers", Name: "orders " + c, Topic: Orders, Rewrite: At(http.MethodGet, ordersPath, Rows(c)), Shows: []string{"Elbe levee"}},
		)
	}
	for _, c := range []string{`[%s]`, `{"data":[%s]}`, `{"orders":[%s]}`, `{"u1":%s}`, `%s`, `{"success":true,"data":[%s]}`} {
		list = append(list, Variant{
			Group: "containers", Name: "records " + c, Topic: Quotes, Rewrite: At(http.MethodPost, recordsPath, Rows(c)), Shows: []string{"1,388.43 EUR"},
		})
	}
	for _, c := range []string{`[%s]`, `{"history":[%s]}`, `{"success":true,"data":[%s]}`, `{"success":true,"data":{"items":[%s]}}`} {
		list = append(
			list,
			Variant{Group: "containers", Name: "planning " + c, Topic: Mission, Rewrite: At(http.MethodGet, planningPath, Rows(c)), Shows: []string{"proposed|confirmed"}},
			Variant{Group: "containers", Name: "packages " + c, Topic: Files, Rewrite: At(http.MethodGet, packagesPath, Rows(c)), Shows: []string{".jpg"}},
			Variant{Group: "containers", Name: "files " + c, Topic: Files, Rewrite: At(http.MethodGet, filesPath, Rows(c)), Shows: []string{".jpg"}},
			Variant{Group: "containers", Name: "endpoints " + c, Topic: Endpoints, Rewrite: At(http.MethodGet, hooksPath, Rows(c)), Shows: []string{"client.example"}},
		)
	}
	for _, body := range NoLists() {
		list = append(list, Variant{
			Group: "containers", Name: "no list " + body, Topic: Orders, Rewrite: At(http.MethodGet, ordersPath, Instead(http.StatusOK, body)),
			Fails: true, Never: []string{"No orders yet", "no orders"},
		})
	}
	for _, c := range OrderContainers() {
		list = append(list, Variant{
			Group: "containers", Name: "order " + c, Topic: Order, Rewrite: At(http.MethodGet, orderPath, inContainer(c)), Shows: []string{"Levee km 3", "MSN-"},
		})
	}
	return list
}

// inContainer writes an order and its missions in another container.
func inContainer(container string) Rewrite {
	return body(func(v any) any {
		order := dataOf(v)
		missions := strings.TrimSpace(write(order["missions"]))
		delete(order, "missions")
		members := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(write(order)), "{"), "}")
		return json.RawMessage(strings.NewReplacer("ORDER", members, "MISSIONS", missions).Replace(container))
	})
}

// limits returns other maximums of a page, and cursors.
func limits() (list []Variant) {
	for name, refusal := range LimitRefusals() {
		refuse := func(r *http.Request, real func() Answer) Answer {
			if l := r.URL.Query().Get("limit"); l != "" && l != "50" {
				return Answer{Status: http.StatusBadRequest, Body: refusal}
			}
			return real()
		}
		for topic, path := range map[Topic]string{Orders: ordersPath, Files: packagesPath, Endpoints: hooksPath} {
			shows := map[Topic]string{Orders: "Elbe levee", Files: ".jpg", Endpoints: "client.example"}[topic]
			list = append(list, Variant{Group: "limits", Name: fmt.Sprintf("maximum %s, %s", name, topic), Topic: topic, Rewrite: At(http.MethodGet, path, refuse), Shows: []string{shows}})
		}
	}
	for _, more := range Cursors() {
		pages := func(r *http.Request, real func() Answer) Answer {
			next := more
			if r.URL.Query().Get("cursor") != "" {
				next = `"nextCursor":null`
			}
			return Rows(`{"success":true,"data":{"data":[%s],`+next+`}}`)(r, real)
		}
		list = append(list, Variant{Group: "limits", Name: "cursor " + more, Topic: Orders, Rewrite: At(http.MethodGet, ordersPath, cursorless(pages)), Shows: []string{"Elbe levee"}})
	}
	for name, page := range EndlessLists() {
		n := 0
		endless := func(r *http.Request, real func() Answer) Answer {
			n++
			container := strings.NewReplacer("ROW", "%s", "#", fmt.Sprint(n)).Replace(page)
			return Rows(`{"success":true,"message":"","data":{`+container+`}}`)(r, real)
		}
		v := Variant{
			Group: "limits", Name: "endless, " + name, Topic: Orders, Rewrite: At(http.MethodGet, ordersPath, cursorless(endless)),
			Fails: true, Shows: []string{"Elbe levee"}, Never: []string{"No orders yet", "no orders"},
		}
		if name == "empty pages" {
			v.Shows = nil
		}
		list = append(list, v)
	}
	return list
}

// cursorless leaves out of a request what the service behind does not know.
func cursorless(rewrite Rewrite) Rewrite {
	return func(r *http.Request, real func() Answer) Answer {
		return rewrite(r, func() Answer {
			q := r.URL.Query()
			q.Del("cursor")
			was := r.URL.RawQuery
			r.URL.RawQuery = q.Encode()
			defer func() { r.URL.RawQuery = was }()
			return real()
		})
	}
}

// errorsOf returns refusals.
func errorsOf() (list []Variant) {
	for _, refused := range Refusals() {
		list = append(list, Variant{
			Group:   "errors",
			Name:    refused.Body,
			Topic:   Order,
			Rewrite: everywhere(Instead(http.StatusNotFound, refused.Body)),
			Fails:   true,
			Shows:   []string{refused.Reason},
		})
	}
	plain := func(*http.Request, func() Answer) Answer {
		return Answer{
			Status: http.StatusNotFound,
			Header: http.Header{"Content-Type": {"text/plain"}},
			Body:   "no such order",
		}
	}
	list = append(
		list,
		Variant{
			Group:   "errors",
			Name:    "plain text",
			Topic:   Order,
			Rewrite: everywhere(plain),
			Fails:   true,
			Shows:   []string{"no such order|with not found: no such"},
		},
	)
	for _, quiet := range QuietRefusals() {
		list = append(list, Variant{
			Group:   "errors",
			Name:    "200 " + quiet,
			Topic:   Orders,
			Rewrite: At(http.MethodGet, ordersPath, Instead(http.StatusOK, quiet)),
			Fails:   true,
			Shows:   []string{"closed"},
			Never:   []string{"No orders yet", "no orders"},
		})
	}
	for _, fault := range FieldFaults() {
		list = append(list, Variant{
			Group:   "errors",
			Name:    fault,
			Topic:   Place,
			Rewrite: At(http.MethodPost, ordersPath, Instead(http.StatusBadRequest, `{`+fault+`}`)),
			Fails:   true,
			Shows:   []string{"is in the past"},
		})
	}
	return list
}

// everywhere rewrites an order's answers on both interfaces.
func everywhere(rewrite Rewrite) Rewrite {
	return Both(At(http.MethodGet, orderPath, rewrite), At(http.MethodPost, recordPath, rewrite))
}

// decisions returns answers to what changes something.
func decisions() (list []Variant) {
	decided := func(name string, rewrite Rewrite, fails bool) {
		v := Variant{Group: "decisions", Name: "accept: " + name, Topic: Accept, Rewrite: At(http.MethodPost, decisionPath, rewrite), Fails: fails}
		if fails {
			v.Never = []string{"ccepted Economy"}
		}
		list = append(list, v)
	}
	for _, body := range []string{"", "ok", `{}`, `{"success":true}`, `{"message":"Your decision was recorded"}`, `{"status":"Quote accepted"}`, `{"status":"accepted"}`, `true`} {
		decided("done, "+body, Then(http.StatusOK, body), false)
	}
	decided("done, 204", Then(http.StatusNoContent, ""), false)
	for _, body := range []string{
		`{"status":"Quote expired"}`, `{"status":"Quote not accepted"}`, `{"success":false,"message":"the quote has expired"}`, `{"status":"Quote rejected"}`, ``, `{}`,
	} {
		decided("not done, "+body, Instead(http.StatusOK, body), true)
	}
	decided("not done, 204", Instead(http.StatusNoContent, ""), true)
	for _, allow := range []string{"PUT", "GET, PATCH", "patch,put"} {
		other := func(r *http.Request, real func() Answer) Answer {
			if !strings.Contains(strings.ToUpper(allow), r.Method) {
				return Answer{Status: http.StatusMethodNotAllowed, Header: http.Header{"Allow": {allow}, "Content-Type": {"application/json"}}, Body: `{"message":"no"}`}
			}
			return real()
		}
		list = append(list, Variant{Group: "decisions", Name: "cancel by " + allow, Topic: Cancel, Rewrite: onAny(cancelPath, other)})
	}
	for _, body := range MoveAnswers() {
		list = append(list, Variant{Group: "decisions", Name: "cancelled, " + body, Topic: Cancel, Rewrite: At(http.MethodPost, cancelPath, Then(http.StatusOK, body))})
	}
	for _, a := range Deletions() {
		list = append(list, Variant{Group: "decisions", Name: fmt.Sprintf("deleted, %d %s", a.Status, a.Body), Topic: Delete, Rewrite: At(http.MethodDelete, hookPath, Then(a.Status, a.Body))})
	}
	return list
}

// onAny applies a rewrite whatever the method.
func onAny(pattern string, rewrite Rewrite) Rewrite {
	return func(r *http.Request, real func() Answer) Answer { return At(r.Method, pattern, rewrite)(r, real) }
}

// files returns packages and files that say less, or other things.
func files() (list []Variant) {
	add := func(name string, topic Topic, path string, rewrite Rewrite, never ...string) {
		list = append(list, Variant{
			Group:   "files",
			Name:    name + ", " + string(topic),
			Topic:   topic,
			Rewrite: At(http.MethodGet, path, rewrite),
			Shows:   []string{".jpg|fetched 4 files"},
			Never:   never,
		})
	}
	for _, topic := range []Topic{Files, Fetch} {
		var never []string
		if topic == Files { // a download begins with 0 bytes
			never = []string{" 0 B", "0 files"}
		}
		add("no fileSize", topic, filesPath, Members(map[string]string{"fileSize": ""}), never...)
		add("fileSize null", topic, filesPath, Members(map[string]string{"fileSize": "null"}), never...)
		add("fileSize unread", topic, filesPath, Members(map[string]string{"fileSize": `"large"`}), never...)
		add("no uuid", topic, filesPath, Members(map[string]string{"uuid": ""}))
		add("one uuid for all", topic, filesPath, Members(map[string]string{"uuid": `"f-1"`}))
		add("no fileDataType", topic, filesPath, Members(map[string]string{"fileDataType": ""}))
		add(
			"no counts of a package",
			topic,
			packagesPath,
			Members(map[string]string{"fileCount": "", "totalSize": "", "version": ""}),
			never...)
		add("relative links", topic, filesPath, linked(withoutHost))
		add("links that differ each time", topic, filesPath, signed())
	}
	return list
}

// withoutHost returns a link from its path on.
func withoutHost(link string) string {
	_, path, _ := strings.Cut(link, "/files/")
	return "/files/" + path
}

// linked rewrites the links of files.
func linked(change func(string) string) Rewrite {
	return body(func(v any) any {
		walk(v, func(record map[string]any) {
			if link, ok := record["downloadUrl"].(string); ok {
				record["downloadUrl"] = change(link)
			}
		})
		return v
	})
}

// signed returns links with a signature that every listing makes anew.
func signed() Rewrite {
	n := 0
	return linked(func(link string) string {
		n++
		return fmt.Sprintf("%s?X-Amz-Date=2026112%dT094200Z&X-Amz-Signature=%08x", link, n%10, n)
	})
}

// dates returns dates in other forms.
func dates() (list []Variant) {
	for _, sent := range Times() {
		list = append(list, Variant{
			Group: "dates",
			Name:  "deadline " + sent,
			Topic: Order,
			Rewrite: Both(
				At(http.MethodGet, orderPath, Members(map[string]string{"deadline": sent})),
				At(http.MethodGet, ordersPath, Members(map[string]string{"deadline": sent})),
			),
			Shows: []string{"2026-12-01|1 Dec|Dec 1"},
		})
	}
	for _, sent := range NoTimes() {
		list = append(list, Variant{
			Group: "dates",
			Name:  "deadline " + sent,
			Topic: Order,
			Rewrite: Both(
				At(http.MethodGet, orderPath, Members(map[string]string{"deadline": sent})),
				At(http.MethodGet, ordersPath, Members(map[string]string{"deadline": sent})),
			),
			Shows: []string{strings.Trim(sent, `"`)},
			Never: []string{"1970", "0001", "overdue", "days ago"},
		})
		list = append(list, Variant{
			Group:   "dates",
			Name:    "expiry " + sent,
			Topic:   Quotes,
			Rewrite: inRecords(Members(map[string]string{"expiryDate": sent})),
			Shows:   []string{"1,388.43 EUR"},
			Never:   []string{"1970", "0001", "expired", "Expired"},
		})
	}
	return list
}

// Oddest returns a service that answers in ten of these ways at once: other
// containers, prices, dates, links and identities, decisions without an answer,
// members that nobody knows, the key elsewhere and a mark before every answer.
func Oddest() Rewrite {
	return Both(
		At(http.MethodGet, ordersPath, Rows(`{"orders":[%s]}`)),
		At(http.MethodGet, orderPath, inContainer(`{"order":{ORDER},"missions":MISSIONS}`)),
		At(http.MethodPost, recordsPath, Rows(`{"results":[%s]}`)),
		inRecords(
			Members(
				map[string]string{
					"finalPrice":          `"€ 1.388,43"`,
					"priceBeforeDiscount": `{"amount":"1,388.43","currency":"EUR"}`,
				},
			),
		),
		At(http.MethodPost, decisionPath, Then(http.StatusNoContent, "")),
		Members(map[string]string{"deadline": `1798700400`, "createdAt": `"2026-11-24 08:42:00"`}),
		At(http.MethodGet, filesPath, Members(map[string]string{"fileSize": "", "uuid": `"f-1"`})),
		At(http.MethodGet, filesPath, linked(withoutHost)),
		Further("missionName", map[string]string{"crew": `["Ida","Bo"]`}),
		keyElsewhere,
		marked,
	)
}

// unknown returns members that the client does not know.
func unknown() (list []Variant) {
	add := func(name string, topic Topic, rewrite Rewrite, shows ...string) {
		list = append(list, Variant{Group: "unknown", Name: name, Topic: topic, Rewrite: rewrite, Shows: shows})
	}
	further := func(path, mark string) Rewrite {
		return At(http.MethodGet, path, Further(mark, map[string]string{"projectManager": `"Ida Holm"`, "priority": `7`}))
	}
	add("order", Order, further(orderPath, "orderType"), "rojectManager|roject manager", "Ida Holm", "riority")
	add("mission of an order", Mission, Both(further(orderPath, "missionName"), further("/missions", "missionName")), "rojectManager|roject manager", "Ida Holm")
	add("planning", Mission, further(planningPath, "schedulingStatus"), "rojectManager|roject manager", "Ida Holm")
	add("permission", Mission, further(permitPath, "authority"), "rojectManager|roject manager", "Ida Holm")
	add("package", Files, further(packagesPath, "fileCount"), "rojectManager|roject manager", "Ida Holm")
	add("file", Files, further(filesPath, "fileName"), "rojectManager|roject manager", "Ida Holm")
	add("endpoint", Endpoints, further(hooksPath, "url"), "rojectManager|roject manager", "Ida Holm")
	add("callback", Callbacks, further(logPath, "responseCode"), "rojectManager|roject manager", "Ida Holm")
	everyMission := func(members map[string]string) Rewrite {
		return Both(At(http.MethodGet, orderPath, Members(members)), At(http.MethodGet, "/missions", Members(members)))
	}
	add("area of an order that is no number", Order, At(http.MethodGet, orderPath, Members(map[string]string{"areaSize": `"about 3 ha"`})), "about 3 ha")
	add("area of a mission that is no number", Mission, everyMission(map[string]string{"areaSize": `{"ha":3}`}), `{"ha":3}`)
	add("coordinates that are no numbers", Mission, everyMission(map[string]string{"lat": `"N 53 36 00"`}), "N 53 36 00")
	list[len(list)-1].Never = []string{"0.0000"}
	add("size of a package that is no number", Files, At(http.MethodGet, packagesPath, Members(map[string]string{"totalSize": `"3 MB"`})), "3 MB")
	add("size of a file that is no number", Files, At(http.MethodGet, filesPath, Members(map[string]string{"fileSize": `"3 MB or so"`})), "3 MB or so")
	add("planning with other names", Mission, At(http.MethodGet, planningPath, Renamed(map[string]string{
		"version": "revision", "schedulingStatus": "state", "flightDate": "scheduledDate", "createdAt": "made",
	})), "2026-12-03|3 Dec", "proposed|confirmed")
	add("permission with other names", Mission, At(http.MethodGet, permitPath, Renamed(map[string]string{
		"status": "permissionStatus", "authority": "issuedBy", "reference": "number", "updatedAt": "at",
	})), "granted|Granted", "Luftfahrt-Bundesamt")
	add("permission with another name of its status", Mission, At(http.MethodGet, permitPath, Renamed(map[string]string{"status": "state"})), "+ state|state", "Luftfahrt-Bundesamt")
	return list
}

// keyElsewhere has the v2 API take the key in x-api-key only.
func keyElsewhere(r *http.Request, real func() Answer) Answer {
	other := r.Header.Get("X-Api-Key") != "" && r.Header.Get("Authorization") == ""
	if strings.Contains(r.URL.Path, "/api/v2/") && !other {
		return Answer{Status: http.StatusUnauthorized, Body: `{"message":"no key"}`}
	}
	return real()
}

// publicly answers a list of orders on the public API, whose orders it does not
// have.
func publicly(list string) Rewrite {
	return Both(
		At(http.MethodGet, ordersPath, Instead(http.StatusOK, list)),
		At(http.MethodGet, orderPath, Instead(http.StatusNotFound, `{"message":"no such order"}`)),
	)
}

// authentication returns services that take the key elsewhere, or refuse one of
// the interfaces.
func authentication() []Variant {
	refuses := func(part string, status int) Rewrite {
		return func(r *http.Request, real func() Answer) Answer {
			if strings.Contains(r.URL.Path, part) {
				return Answer{Status: status, Body: `{"message":"not for this key"}`}
			}
			return real()
		}
	}
	return []Variant{
		{Group: "authentication", Name: "x-api-key only", Topic: Quotes, Rewrite: keyElsewhere, Shows: []string{"1,388.43 EUR"}},
		{Group: "authentication", Name: "x-api-key only, order", Topic: Order, Rewrite: keyElsewhere, Shows: []string{"Levee km 3"}},
		{Group: "authentication", Name: "public API lists no orders", Topic: Orders, Rewrite: publicly(`{"success":true,"data":{"data":[],"nextCursor":null,"hasNextPage":false}}`), Shows: []string{"Elbe levee|no orders"}},
		{Group: "authentication", Name: "public API has no orders", Topic: Order, Rewrite: publicly(`{"success":true,"data":{"data":[],"nextCursor":null,"hasNextPage":false}}`), Shows: []string{"Elbe levee", "Economy"}},
		{Group: "authentication", Name: "v2 API refuses with 401", Topic: Order, Rewrite: refuses("/api/v2/", 401), Shows: []string{"Levee km 3"}},
		{Group: "authentication", Name: "v2 API refuses with 403", Topic: Order, Rewrite: refuses("/api/v2/", 403), Shows: []string{"Levee km 3"}},
		{Group: "authentication", Name: "v2 API does not know the order", Topic: Order, Rewrite: refuses("/api/v2/", 404), Shows: []string{"Levee km 3"}},
		{Group: "authentication", Name: "public API refuses with 403", Topic: Order, Rewrite: refuses("/api/v1/public/", 403), Shows: []string{"Elbe levee"}},
		{Group: "authentication", Name: "public API does not know the order", Topic: Order, Rewrite: At(http.MethodGet, orderPath, Instead(404, `{"message":"no such order"}`)), Shows: []string{"Elbe levee"}},
	}
}

// marked puts a mark before an answer.
func marked(_ *http.Request, real func() Answer) Answer {
	a := real()
	a.Body = "\ufeff" + a.Body
	return a
}

// invisible returns marks at the beginning of an answer, and characters that a
// terminal does not show.
func invisible() (list []Variant) {
	for topic, shows := range map[Topic]string{Orders: "Elbe levee", Order: "Levee km 3", Quotes: "1,388.43 EUR", Files: ".jpg", Endpoints: "client.example"} {
		list = append(
			list,
			Variant{
				Group:   "invisible",
				Name:    "BOM, " + string(topic),
				Topic:   topic,
				Rewrite: marked,
				Shows:   []string{shows},
			},
		)
	}
	for _, r := range []rune{'\u200b', '\u2060', '\u202e', '\u00ad', '\x1b', '\ufeff'} {
		name := Members(map[string]string{"orderName": write("Elbe" + string(r) + "dyke")})
		list = append(list, Variant{
			Group:   "invisible",
			Name:    fmt.Sprintf("%U in a name", r),
			Topic:   Orders,
			Rewrite: At(http.MethodGet, ordersPath, name),
			Shows:   []string{"Elbe"},
			Never:   []string{"Elbe" + string(r), "Elbedyke"},
		})
	}
	return list
}
