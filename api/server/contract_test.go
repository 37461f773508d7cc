package server_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-json-experiment/json"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server"
)

// contract is openapi.yaml, with which tests compare requests and responses. It is stricter than the
// published document: a member or a status that is not in the document is a fault of the service,
// although clients accept it.
type contract struct {
	doc *openapi3.T
	mux *http.ServeMux // finds the operation of a request
}

var loadContract = sync.OnceValues(func() (*contract, error) {
	openapi3.DefineStringFormatValidator("uuid", openapi3.NewRegexpFormatValidator(openapi3.FormatOfStringForUUIDOfRFC9562))
	published, err := openapi3.NewLoader().LoadFromData(api.OpenAPI)
	if err != nil {
		return nil, err
	}
	if err := published.Validate(context.Background()); err != nil {
		return nil, err
	}
	doc, err := closed(published)
	if err != nil {
		return nil, err
	}
	c := &contract{doc: doc, mux: http.NewServeMux()}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			c.mux.Handle(method+" "+path, http.NotFoundHandler())
		}
	}
	return c, nil
})

// closed returns the document with closed objects and without default responses.
func closed(doc *openapi3.T) (*openapi3.T, error) {
	text, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, err
	}
	schemas := root["components"].(map[string]any)["schemas"].(map[string]any)
	bases := map[string]bool{} // a base schema is closed by the schemas that extend it
	for _, schema := range schemas {
		parts, _ := schema.(map[string]any)["allOf"].([]any)
		for _, part := range parts {
			ref, _ := part.(map[string]any)["$ref"].(string)
			if _, object := schema.(map[string]any)["properties"]; object {
				bases[path.Base(ref)] = true
			}
		}
	}
	for name, schema := range schemas {
		if !bases[name] {
			closeSchema(schema.(map[string]any))
		}
	}
	for _, item := range root["paths"].(map[string]any) {
		for _, operation := range item.(map[string]any) {
			if operation, ok := operation.(map[string]any); ok {
				delete(operation["responses"].(map[string]any), "default")
			}
		}
	}
	text, err = json.Marshal(root)
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(text)
}

func closeSchema(schema map[string]any) {
	switch {
	case schema["type"] != "object" && schema["properties"] == nil:
	case schema["allOf"] != nil:
		schema["unevaluatedProperties"] = false
	case schema["additionalProperties"] == nil:
		schema["additionalProperties"] = false
	}
}

func theContract(t testing.TB) *contract {
	t.Helper()
	c, err := loadContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// input describes the request to the validator. It returns nil if the operation is not in the
// document.
func (c *contract) input(r *http.Request) *openapi3filter.RequestValidationInput {
	_, pattern := c.mux.Handler(r)
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		return nil
	}
	item := c.doc.Paths.Value(path)
	params := map[string]string{}
	names := regexp.MustCompile(`\{(\w+)\}`)
	shape := regexp.MustCompile("^" + names.ReplaceAllString(path, `(?P<$1>[^/]+)`) + "$")
	found := shape.FindStringSubmatch(r.URL.Path)
	if found == nil {
		return nil // the router would redirect there
	}
	for i, name := range shape.SubexpNames()[1:] {
		params[name] = found[i+1]
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params,
		Route: &routers.Route{Spec: c.doc, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method)},
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true,
		},
	}
}

// checkAnswer compares a response with the document.
func (c *contract) checkAnswer(t testing.TB, r *http.Request, resp *http.Response, body []byte) {
	t.Helper()
	for _, name := range []string{"X-Request-Id", "Date"} {
		if resp.Header.Get(name) == "" {
			t.Errorf("%s %s: the answer has no %s", r.Method, r.URL, name)
		}
	}
	in := c.input(r)
	if in == nil { // no operation: an error in the envelope
		link := resp.StatusCode == http.StatusForbidden && strings.HasPrefix(r.URL.Path, "/files/")
		if resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusMethodNotAllowed && !link {
			t.Errorf("%s %s: %d from an operation that the document lacks", r.Method, r.URL, resp.StatusCode)
		}
		c.checkError(t, body)
		return
	}
	err := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: resp.StatusCode, Header: resp.Header,
		Body: io.NopCloser(bytes.NewReader(body)), Options: in.Options,
	})
	if err != nil {
		t.Errorf("%s %s: the answer is not what the document says: %v", r.Method, r.URL, err)
	}
}

func (c *contract) checkError(t testing.TB, body []byte) {
	t.Helper()
	value, err := decodeAny(body)
	if err == nil {
		err = c.doc.Components.Schemas["Error"].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
	}
	if err != nil {
		t.Errorf("%s is no error of the document: %v", body, err)
	}
}

// acceptsRequest reports whether the document allows the request.
func (c *contract) acceptsRequest(r *http.Request) error {
	return openapi3filter.ValidateRequest(context.Background(), c.input(r))
}

func TestRoutesMatchTheOpenAPIDocument(t *testing.T) {
	var want, got []string
	for path, item := range theContract(t).doc.Paths.Map() {
		for method := range item.Operations() {
			want = append(want, method+" "+path)
		}
	}
	for _, op := range server.Operations(start(t, &server.Server{})) {
		got = append(got, op[0]+" "+op[1])
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("routes:\n%s\ndocument:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestExamplesInTheOpenAPIDocumentAreValid(t *testing.T) {
	checked := 0
	check := func(name string, schema *openapi3.Schema) {
		for _, example := range schema.Examples {
			checked++
			if err := schema.VisitJSON(example, openapi3.EnableJSONSchema2020()); err != nil {
				t.Errorf("%s: %v: %v", name, example, err)
			}
		}
	}
	for name, schema := range theContract(t).doc.Components.Schemas {
		check(name, schema.Value)
		for property, of := range schema.Value.Properties {
			check(name+"."+property, of.Value)
		}
	}
	if checked < 180 {
		t.Errorf("%d examples, expected 180 or more", checked)
	}
}

// Generators of clients rely on these properties of the document.
func TestDocumentHasTypesFormatsAndWordsEverywhere(t *testing.T) {
	text, err := theContract(t).doc.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(at string, node any)
	walk = func(at string, node any) {
		switch node := node.(type) {
		case map[string]any:
			_, typed := node["type"]
			_, fixed := node["const"]
			if _, list := node["enum"].([]any); (list || fixed) && !typed {
				t.Errorf("%s has no type", at)
			}
			if node["type"] == "number" && node["format"] != "double" {
				t.Errorf("%s is a number without its format", at)
			}
			if node["type"] == "array" && node["items"] == nil {
				t.Errorf("%s is a list of anything", at)
			}
			properties, _ := node["properties"].(map[string]any)
			for name, property := range properties {
				if property.(map[string]any)["description"] == nil {
					t.Errorf("%s.%s is not described", at, name)
				}
			}
			for name, child := range node {
				walk(at+"/"+name, child)
			}
		case []any:
			for _, child := range node {
				walk(at, child)
			}
		}
	}
	walk("", root)
}

func TestDocumentHasTheEnumerationsAndLimits(t *testing.T) {
	schemas := theContract(t).doc.Components.Schemas
	checkEnum(t, schemas["OrderType"], api.OrderTypes())
	checkEnum(t, schemas["MissionType"], api.MissionTypes())
	checkEnum(t, schemas["Sensor"], api.Sensors())
	checkEnum(t, schemas["Deliverable"], api.Deliverables())
	checkEnum(t, schemas["MissionObjective"], api.MissionObjectives())
	checkEnum(t, schemas["IndustryAssetType"], api.IndustryAssetTypes())
	checkEnum(t, schemas["OrderStatus"], api.OrderStatuses())
	checkEnum(t, schemas["MissionStatus"], api.MissionStatuses())
	checkEnum(t, schemas["EventName"], api.EventNames())
	checkEnum(t, schemas["ErrorCode"], []api.ErrorCode{
		api.CodeValidationFailed, api.CodeMalformedBody, api.CodeUnauthenticated, api.CodeKeyRevoked, api.CodeKeyExpired, api.CodeMissingScope, api.CodeNotYourResource, api.CodeLinkExpired, api.CodeNotFound, api.CodeMethodNotAllowed, api.CodeConflict, api.CodeQuoteExpired, api.CodeTooLarge, api.CodeStorageFull, api.CodeUnsupportedMediaType, api.CodeRateLimited, api.CodeInternal,
	})
	checkEnum(t, schemas["SchedulingStatus"], api.SchedulingStatuses())
	checkEnum(t, schemas["PermissionStatus"], api.PermissionStatuses())
	checkEnum(t, schemas["CallbackFault"], ops.CallbackFaults())
	checkEnum(t, schemas["Scope"], api.Scopes())
	checkEnum(t, schemas["KeyRequestStatus"], ops.KeyRequestStatuses())
	checkEnum(t, schemas["DeliveryStatus"], api.DeliveryStatuses())
	checkEnum(t, schemas["RecordStatus"], api.RecordStatuses())
	checkEnum(t, schemas["QuoteStatus"], api.QuoteStatuses())
	checkEnum(t, schemas["DeliveryProduct"], api.DeliveryProducts())

	params := theContract(t).doc.Components.Parameters
	for _, limit := range []struct {
		name string
		got  uint64
		want int
	}{
		{"name", *schemas["Name"].Value.MaxLength, api.MaxNameLength},
		{"reason", *schemas["Reason"].Value.MaxLength, api.MaxTextLength},
		{"missions", *schemas["CreateOrderRequest"].Value.Properties["missions"].Value.MaxItems, api.MaxMissions},
		{"webhook URL", *schemas["CreateWebhookRequest"].Value.Properties["url"].Value.MaxLength, api.MaxURLLength},
		{"delivery days", uint64(*schemas["QuoteInput"].Value.Properties["deliveryBy"].Value.Max), ops.MaxDeliveryDays},
		{"price", uint64(*schemas["QuoteInput"].Value.Properties["priceBeforeDiscount"].Value.Max), ops.MaxPrice},
		{"library filters", *schemas["DatasetSelection"].Value.Properties["fileDataType"].Value.MaxItems, api.MaxLibraryFilters},
		{"points", *schemas["LocationMap"].Value.MaxItems, api.MaxPoints},
		{"page", uint64(*params["Limit"].Value.Schema.Value.Max), api.MaxPageLimit},
	} {
		if limit.got != uint64(limit.want) {
			t.Errorf("limit of %s: the document says %d, the service %d", limit.name, limit.got, limit.want)
		}
	}
}

func checkEnum[T ~string](t *testing.T, schema *openapi3.SchemaRef, want []T) {
	t.Helper()
	var got []T
	for _, v := range schema.Value.Enum {
		got = append(got, T(v.(string)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the document has %v, the service %v", got, want)
	}
}

// The documents for clients and for operations are valid, have each operation once between them, and
// contain only used components.
func TestTheDocumentsForClientsAndOperationsAreComplete(t *testing.T) {
	load := func(text []byte) *openapi3.T {
		t.Helper()
		doc, err := openapi3.NewLoader().LoadFromData(text)
		if err == nil {
			err = doc.Validate(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	all, clients, operations := load(api.OpenAPI), load(api.ClientOpenAPI()), load(api.OperationsOpenAPI())
	for path := range all.Paths.Map() {
		isOperations := strings.HasPrefix(path, server.OpsPath) || path == "/metrics"
		if (clients.Paths.Value(path) != nil) == isOperations || (operations.Paths.Value(path) != nil) != isOperations {
			t.Errorf("%s is in the wrong document, in both or in none", path)
		}
	}
	for _, text := range [][]byte{api.ClientOpenAPI(), api.OperationsOpenAPI()} {
		for name := range load(text).Components.Schemas {
			if !bytes.Contains(text, []byte("schemas/"+name+`"`)) {
				t.Errorf("the schema %s is not used", name)
			}
		}
	}
	if bytes.Contains(api.ClientOpenAPI(), []byte("opsKey")) || bytes.Contains(api.ClientOpenAPI(), []byte("name: operations API")) {
		t.Error("the document for clients has the operations API")
	}
}
