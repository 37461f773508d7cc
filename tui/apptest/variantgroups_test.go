package apptest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"flightdesk/api/standin"
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
	return Both(post(recordPath, rewrite), post(recordsPath, rewrite))
}

// money returns prices in other forms.
func money() (list variants) {
	for _, p := range standin.Prices() {
		v := list.add(p.Sent, Quotes, inRecords(Members(texts{"finalPrice": p.Sent, "priceBeforeDiscount": p.Sent})))
		switch {
		case p.Read:
			v.Shows = []string{Amount(p.Amount) + " EUR"}
		case p.Raw == "":
			v.never("0.00 EUR")
		default:
			v.Shows = []string{strings.TrimSuffix(strings.TrimPrefix(p.Raw, "{"), "}")[:min(len(p.Raw)-1, 12)]}
			v.never("cheapest", "1.00 EUR", "1.39 EUR", "1,388.00 EUR", "1,388.43 EUR")
		}
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
func containers() (list variants) {
	for _, c := range standin.ListContainers() {
		list.add("orders "+c, Orders, get(ordersPath, Rows(c)), "Elbe levee")
	}
	for _, c := range []string{
		`[%s]`, `{"data":[%s]}`, `{"orders":[%s]}`, `{"u1":%s}`, `%s`, `{"success":true,"data":[%s]}`,
	} {
		list.add("records "+c, Quotes, post(recordsPath, Rows(c)), "1,388.43 EUR")
	}
	for _, c := range []string{
		`[%s]`, `{"history":[%s]}`, `{"success":true,"data":[%s]}`,
		`{"success":true,"data":{"items":[%s]}}`,
	} {
		list.add("planning "+c, Mission, get(planningPath, Rows(c)), "proposed|confirmed")
		list.add("packages "+c, Files, get(packagesPath, Rows(c)), ".jpg")
		list.add("files "+c, Files, get(filesPath, Rows(c)), ".jpg")
		list.add("endpoints "+c, Endpoints, get(hooksPath, Rows(c)), "client.example")
	}
	for _, body := range standin.NoLists() {
		list.add(
			"no list "+body, Orders, get(ordersPath, Instead(http.StatusOK, body)),
		).never("No orders yet", "no orders").fails()
	}
	for _, c := range standin.OrderContainers() {
		list.add("order "+c, Order, get(orderPath, inContainer(c)), "Levee km 3", "MSN-")
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
func limits() (list variants) {
	for name, refusal := range standin.LimitRefusals() {
		refuse := func(r *http.Request, real func() standin.Answer) standin.Answer {
			if l := r.URL.Query().Get("limit"); l != "" && l != "50" {
				return standin.Answer{Status: http.StatusBadRequest, Body: refusal}
			}
			return real()
		}
		for topic, path := range map[Topic]string{Orders: ordersPath, Files: packagesPath, Endpoints: hooksPath} {
			shows := map[Topic]string{Orders: "Elbe levee", Files: ".jpg", Endpoints: "client.example"}[topic]
			list.add(fmt.Sprintf("maximum %s, %s", name, topic), topic, get(path, refuse), shows)
		}
	}
	for _, more := range standin.Cursors() {
		pages := func(r *http.Request, real func() standin.Answer) standin.Answer {
			next := more
			if r.URL.Query().Get("cursor") != "" {
				next = `"nextCursor":null`
			}
			return Rows(`{"success":true,"data":{"data":[%s],`+next+`}}`)(r, real)
		}
		list.add("cursor "+more, Orders, get(ordersPath, cursorless(pages)), "Elbe levee")
	}
	for name, page := range standin.EndlessLists() {
		n := 0
		endless := func(r *http.Request, real func() standin.Answer) standin.Answer {
			n++
			container := strings.NewReplacer("ROW", "%s", "#", fmt.Sprint(n)).Replace(page)
			return Rows(`{"success":true,"message":"","data":{`+container+`}}`)(r, real)
		}
		v := list.add("endless, "+name, Orders, get(ordersPath, cursorless(endless)), "Elbe levee")
		if v.fails().never("No orders yet", "no orders"); name == "empty pages" {
			v.Shows = nil
		}
	}
	return list
}

// cursorless leaves out of a request what the service behind does not know.
func cursorless(rewrite Rewrite) Rewrite {
	return func(r *http.Request, real func() standin.Answer) standin.Answer {
		return rewrite(r, func() standin.Answer {
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
func errorsOf() (list variants) {
	for _, refused := range standin.Refusals() {
		list.add(refused.Body, Order, everywhere(Instead(http.StatusNotFound, refused.Body)), refused.Reason).fails()
	}
	plain := func(*http.Request, func() standin.Answer) standin.Answer {
		return standin.Answer{
			Status: http.StatusNotFound,
			Header: http.Header{"Content-Type": {"text/plain"}},
			Body:   "no such order",
		}
	}
	list.add("plain text", Order, everywhere(plain), "no such order|with not found: no such").fails()
	for _, quiet := range standin.QuietRefusals() {
		list.add(
			"200 "+quiet, Orders, get(ordersPath, Instead(http.StatusOK, quiet)), "closed",
		).never("No orders yet", "no orders").fails()
	}
	for _, fault := range standin.FieldFaults() {
		list.add(fault, Place, post(ordersPath, Instead(http.StatusBadRequest, `{`+fault+`}`)), "is in the past").fails()
	}
	return list
}

// everywhere rewrites an order's answers on both interfaces.
func everywhere(rewrite Rewrite) Rewrite {
	return Both(get(orderPath, rewrite), post(recordPath, rewrite))
}

// decisions returns answers to what changes something.
func decisions() (list variants) {
	decided := func(name string, rewrite Rewrite) *Variant {
		return list.add("accept: "+name, Accept, post(decisionPath, rewrite))
	}
	refused := func(name string, rewrite Rewrite) { decided(name, rewrite).fails().never("ccepted Economy") }
	for _, body := range []string{
		"", "ok", `{}`, `{"success":true}`, `{"message":"Your decision was recorded"}`,
		`{"status":"Quote accepted"}`, `{"status":"accepted"}`, `true`,
	} {
		decided("done, "+body, Then(http.StatusOK, body))
	}
	decided("done, 204", Then(http.StatusNoContent, ""))
	for _, body := range []string{
		`{"status":"Quote expired"}`, `{"status":"Quote not accepted"}`, `{"success":false,"message":"the quote has expired"}`, `{"status":"Quote rejected"}`, ``, `{}`,
	} {
		refused("not done, "+body, Instead(http.StatusOK, body))
	}
	refused("not done, 204", Instead(http.StatusNoContent, ""))
	for _, allow := range []string{"PUT", "GET, PATCH", "patch,put"} {
		other := func(r *http.Request, real func() standin.Answer) standin.Answer {
			if !strings.Contains(strings.ToUpper(allow), r.Method) {
				return standin.Answer{
					Status: http.StatusMethodNotAllowed,
					Header: http.Header{"Allow": {allow}, "Content-Type": {"application/json"}},
					Body:   `{"message":"no"}`,
				}
			}
			return real()
		}
		list.add("cancel by "+allow, Cancel, onAny(cancelPath, other))
	}
	for _, body := range standin.MoveAnswers() {
		list.add("cancelled, "+body, Cancel, post(cancelPath, Then(http.StatusOK, body)))
	}
	for _, a := range standin.Deletions() {
		list.add(
			fmt.Sprintf("deleted, %d %s", a.Status, a.Body), Delete,
			At(http.MethodDelete, hookPath, Then(a.Status, a.Body)),
		)
	}
	return list
}

// onAny applies a rewrite whatever the method.
func onAny(pattern string, rewrite Rewrite) Rewrite {
	return func(r *http.Request, real func() standin.Answer) standin.Answer {
		return At(r.Method, pattern, rewrite)(r, real)
	}
}

// files returns packages and files that say less, or other things.
func files() (list variants) {
	add := func(name string, topic Topic, path string, rewrite Rewrite, never ...string) {
		list.add(name+", "+string(topic), topic, get(path, rewrite), ".jpg|fetched 4 files").never(never...)
	}
	for _, topic := range []Topic{Files, Fetch} {
		var never []string
		if topic == Files { // a download begins with 0 bytes
			never = []string{" 0 B", "0 files"}
		}
		add("no fileSize", topic, filesPath, Members(texts{"fileSize": ""}), never...)
		add("fileSize null", topic, filesPath, Members(texts{"fileSize": "null"}), never...)
		add("fileSize unread", topic, filesPath, Members(texts{"fileSize": `"large"`}), never...)
		add("no uuid", topic, filesPath, Members(texts{"uuid": ""}))
		add("one uuid for all", topic, filesPath, Members(texts{"uuid": `"f-1"`}))
		add("no fileDataType", topic, filesPath, Members(texts{"fileDataType": ""}))
		add(
			"no counts of a package",
			topic,
			packagesPath,
			Members(texts{"fileCount": "", "totalSize": "", "version": ""}),
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
func dates() (list variants) {
	for _, sent := range standin.Times() {
		list.add("deadline "+sent, Order, Both(
			get(orderPath, Members(texts{"deadline": sent})),
			get(ordersPath, Members(texts{"deadline": sent})),
		), "2026-12-01|1 Dec|Dec 1")
	}
	for _, sent := range standin.NoTimes() {
		list.add("deadline "+sent, Order, Both(
			get(orderPath, Members(texts{"deadline": sent})),
			get(ordersPath, Members(texts{"deadline": sent})),
		), strings.Trim(sent, `"`)).never("1970", "0001", "overdue", "days ago")
		list.add(
			"expiry "+sent, Quotes, inRecords(Members(texts{"expiryDate": sent})), "1,388.43 EUR",
		).never("1970", "0001", "expired", "Expired")
	}
	return list
}

// Oddest returns a service that answers in ten of these ways at once: other
// containers, prices, dates, links and identities, decisions without an answer,
// members that nobody knows, the key elsewhere and a mark before every answer.
func Oddest() Rewrite {
	return Both(
		get(ordersPath, Rows(`{"orders":[%s]}`)),
		get(orderPath, inContainer(`{"order":{ORDER},"missions":MISSIONS}`)),
		post(recordsPath, Rows(`{"results":[%s]}`)),
		inRecords(
			Members(
				texts{
					"finalPrice":          `"€ 1.388,43"`,
					"priceBeforeDiscount": `{"amount":"1,388.43","currency":"EUR"}`,
				},
			),
		),
		post(decisionPath, Then(http.StatusNoContent, "")),
		Members(texts{"deadline": `1798700400`, "createdAt": `"2026-11-24 08:42:00"`}),
		get(filesPath, Members(texts{"fileSize": "", "uuid": `"f-1"`})),
		get(filesPath, linked(withoutHost)),
		Further("missionName", texts{"crew": `["Ida","Bo"]`}),
		keyElsewhere,
		marked,
	)
}

// unknown returns members that the client does not know.
func unknown() (list variants) {
	further := func(path, mark string) Rewrite {
		return get(path, Further(mark, texts{"projectManager": `"Ida Holm"`, "priority": `7`}))
	}
	list.add("order", Order, further(orderPath, "orderType"), "rojectManager|roject manager", "Ida Holm", "riority")
	list.add(
		"mission of an order", Mission,
		Both(further(orderPath, "missionName"), further("/missions", "missionName")),
		"rojectManager|roject manager", "Ida Holm",
	)
	list.add("planning", Mission, further(planningPath, "schedulingStatus"), "rojectManager|roject manager", "Ida Holm")
	list.add("permission", Mission, further(permitPath, "authority"), "rojectManager|roject manager", "Ida Holm")
	list.add("package", Files, further(packagesPath, "fileCount"), "rojectManager|roject manager", "Ida Holm")
	list.add("file", Files, further(filesPath, "fileName"), "rojectManager|roject manager", "Ida Holm")
	list.add("endpoint", Endpoints, further(hooksPath, "url"), "rojectManager|roject manager", "Ida Holm")
	list.add("callback", Callbacks, further(logPath, "responseCode"), "rojectManager|roject manager", "Ida Holm")
	everyMission := func(members map[string]string) Rewrite {
		return Both(get(orderPath, Members(members)), get("/missions", Members(members)))
	}
	list.add(
		"area of an order that is no number", Order,
		get(orderPath, Members(texts{"areaSize": `"about 3 ha"`})), "about 3 ha",
	)
	list.add("area of a mission that is no number", Mission, everyMission(texts{"areaSize": `{"ha":3}`}), `{"ha":3}`)
	list.add(
		"coordinates that are no numbers", Mission, everyMission(texts{"lat": `"N 53 36 00"`}),
		"N 53 36 00",
	).never("0.0000")
	list.add(
		"size of a package that is no number", Files,
		get(packagesPath, Members(texts{"totalSize": `"3 MB"`})), "3 MB",
	)
	list.add(
		"size of a file that is no number", Files,
		get(filesPath, Members(texts{"fileSize": `"3 MB or so"`})), "3 MB or so",
	)
	list.add("planning with other names", Mission, get(planningPath, Renamed(texts{
		"version": "revision", "schedulingStatus": "state", "flightDate": "scheduledDate", "createdAt": "made",
	})), "2026-12-03|3 Dec", "proposed|confirmed")
	list.add("permission with other names", Mission, get(permitPath, Renamed(texts{
		"status": "permissionStatus", "authority": "issuedBy", "reference": "number", "updatedAt": "at",
	})), "granted|Granted", "Luftfahrt-Bundesamt")
	list.add(
		"permission with another name of its status", Mission,
		get(permitPath, Renamed(texts{"status": "state"})), "+ state|state", "Luftfahrt-Bundesamt",
	)
	return list
}

// keyElsewhere has the v2 API take the key in x-api-key only.
func keyElsewhere(r *http.Request, real func() standin.Answer) standin.Answer {
	other := r.Header.Get("X-Api-Key") != "" && r.Header.Get("Authorization") == ""
	if strings.Contains(r.URL.Path, "/api/v2/") && !other {
		return standin.Answer{Status: http.StatusUnauthorized, Body: `{"message":"no key"}`}
	}
	return real()
}

// publicly answers a list of orders on the public API, whose orders it does not
// have.
func publicly(list string) Rewrite {
	return Both(
		get(ordersPath, Instead(http.StatusOK, list)),
		get(orderPath, Instead(http.StatusNotFound, `{"message":"no such order"}`)),
	)
}

// authentication returns services that take the key elsewhere, or refuse one of
// the interfaces.
func authentication() (list variants) {
	refuses := func(part string, status int) Rewrite {
		return func(r *http.Request, real func() standin.Answer) standin.Answer {
			if strings.Contains(r.URL.Path, part) {
				return standin.Answer{Status: status, Body: `{"message":"not for this key"}`}
			}
			return real()
		}
	}
	list.add("x-api-key only", Quotes, keyElsewhere, "1,388.43 EUR")
	list.add("x-api-key only, order", Order, keyElsewhere, "Levee km 3")
	list.add(
		"public API lists no orders", Orders,
		publicly(`{"success":true,"data":{"data":[],"nextCursor":null,"hasNextPage":false}}`),
		"Elbe levee|no orders",
	)
	list.add(
		"public API has no orders", Order,
		publicly(`{"success":true,"data":{"data":[],"nextCursor":null,"hasNextPage":false}}`),
		"Elbe levee", "Economy",
	)
	list.add("v2 API refuses with 401", Order, refuses("/api/v2/", 401), "Levee km 3")
	list.add("v2 API refuses with 403", Order, refuses("/api/v2/", 403), "Levee km 3")
	list.add("v2 API does not know the order", Order, refuses("/api/v2/", 404), "Levee km 3")
	list.add("public API refuses with 403", Order, refuses("/api/v1/public/", 403), "Elbe levee")
	list.add(
		"public API does not know the order", Order,
		get(orderPath, Instead(404, `{"message":"no such order"}`)), "Elbe levee",
	)
	return list
}

// marked puts a mark before an answer.
func marked(_ *http.Request, real func() standin.Answer) standin.Answer {
	a := real()
	a.Body = "\ufeff" + a.Body
	return a
}

// invisible returns marks at the beginning of an answer, and characters that a
// terminal does not show.
func invisible() (list variants) {
	for topic, shows := range map[Topic]string{
		Orders:    "Elbe levee",
		Order:     "Levee km 3",
		Quotes:    "1,388.43 EUR",
		Files:     ".jpg",
		Endpoints: "client.example",
	} {
		list.add("BOM, "+string(topic), topic, marked, shows)
	}
	for _, r := range []rune{'\u200b', '\u2060', '\u202e', '\u00ad', '\x1b', '\ufeff'} {
		name := Members(texts{"orderName": write("Elbe" + string(r) + "dyke")})
		list.add(fmt.Sprintf("%U in a name", r), Orders, get(ordersPath, name), "Elbe").never("Elbe"+string(r), "Elbedyke")
	}
	return list
}
