package api_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
)

// A record of the operations API has its own members and the members of the record inside it.
func TestRecordsOfTheOperationsAPIKeepTheirMembers(t *testing.T) {
	one, at := 1, api.TimeOf(time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC))
	for _, c := range []struct {
		name string
		from any
		into any
		own  string
	}{
		{
			"order", ops.Order{
				Order: api.Order{OrderCode: "ORD-1", Extra: api.ExtraMembers{"new": json.RawMessage(`1`)}}, AccountUID: "a", Account: &ops.Account{},
				Missions: []ops.Mission{{}}, OpenQuotes: &one, ExpiredQuotes: &one, Quotes: []ops.Quote{{}}, Details: &api.RecordDetails{}, Notifications: &api.Notifications{},
			}, &ops.Order{}, "orderCode accountUid account missions openQuotes expiredQuotes quotes details notifications new",
		},
		{
			"mission",
			ops.Mission{Mission: api.Mission{MissionCode: "MSN-1"}, Planning: []api.PlanningEntry{{}}, FlightPermission: &api.FlightPermission{}},
			&ops.Mission{}, "missionCode planning flightPermission packages",
		},
		{
			"quote",
			ops.Quote{Quote: api.Quote{QuoteID: "q"}, UUID: "q", Status: api.QuoteOpen, CreatedAt: at},
			&ops.Quote{}, "quoteId finalPrice uuid status createdAt decidedAt",
		},
		{"dataset", ops.Dataset{Dataset: api.Dataset{ID: "d"}, UUID: "u"}, &ops.Dataset{}, "id datasetName uuid"},
	} {
		text, err := api.EncodeRecord(c.from)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, name := range strings.Fields(c.own) {
			if members[name] == nil {
				t.Errorf("%s: no %s in %s", c.name, name, text)
			}
		}
		if members["Extra"] != nil {
			t.Errorf("%s: %s", c.name, text)
		}
		if err := api.DecodeRecord(text, c.into); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if again, err := api.EncodeRecord(c.into); err != nil || string(again) != string(text) {
			t.Errorf("%s: %s\nread and written as %s, %v", c.name, text, again, err)
		}
	}
}

// DecodeRecord is as lenient as the client.
func TestRecordsAreReadLeniently(t *testing.T) {
	var o api.Order
	if err := api.DecodeRecord([]byte(`{"uuid":17,"deadline":"soon","areaSize":"1200.5 m2","missions":[{"missionCode":200}],"priority":"gold"}`), &o); err != nil {
		t.Fatal(err)
	}
	if o.UUID != "17" || o.Deadline.Raw != "soon" || *o.AreaSize != 1200.5 || o.Missions[0].MissionCode != "200" || string(o.Extra["priority"]) != `"gold"` {
		t.Errorf("%+v", o)
	}
	var f api.DeliveryFile
	if err := api.DecodeRecord([]byte(`{"fileName":"a.jpg"}`), &f); err != nil || f.FileSize != -1 {
		t.Errorf("%+v, %v", f, err)
	}
	var r api.OrderRecord
	if err := api.DecodeRecord([]byte(`{"id":"a","status":"quoteReceived","orderDetails":{"orderName":"Dam"},"quotes":{"quoteId":"q","finalPrice":"€ 270"}}`), &r); err != nil {
		t.Fatal(err)
	}
	if r.OrderName != "Dam" || len(r.Quotes) != 1 || r.Quotes[0].FinalPrice.Amount != 270 {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{`{"uuid":`, `[]`, `"x"`, `7`} {
		if err := api.DecodeRecord([]byte(bad), &o); err == nil {
			t.Errorf("%s is read as an order", bad)
		}
	}
}

// notOurs are packages whose types must not appear in the exported API.
const notOurs = "github.com/go-json-experiment/"

// Exported declarations use only types of this package and of the standard library.
func TestExportedTypesDoNotUseOtherJSONPackages(t *testing.T) {
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		foreign := map[string]bool{}
		for _, imported := range file.Imports {
			if path := strings.Trim(imported.Path.Value, `"`); strings.HasPrefix(path, notOurs) {
				foreign[path[strings.LastIndexByte(path, '/')+1:]] = true
			}
		}
		for _, seen := range exported(file) {
			ast.Inspect(seen, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is {
					if pkg, is := s.X.(*ast.Ident); is && foreign[pkg.Name] {
						t.Errorf("%s shows %s.%s", name, pkg.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
}

// exported returns the exported declarations of a file: signatures, types without their
// unexported fields, variables and constants.
func exported(file *ast.File) (all []ast.Node) {
	ast.FileExports(file) // removes unexported declarations
	for _, decl := range file.Decls {
		if f, is := decl.(*ast.FuncDecl); is {
			all = append(all, f.Type)
		} else {
			all = append(all, decl)
		}
	}
	return all
}
