package tolerant_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"flightdesk/api/internal/tolerant"
)

var orders = tolerant.Shape{Own: []string{"id", "uuid", "code"}, Lists: []string{"parts"}}

// records joins the rows of a list with spaces.
func records(list tolerant.List) string {
	var texts []string
	for _, record := range list.Records {
		texts = append(texts, string(record))
	}
	return strings.Join(texts, " ")
}

func TestAListIsFoundInTheMemberThatHasRecords(t *testing.T) {
	for sent, want := range map[string]string{
		`[{"code":"A"},{"code":"B"}]`:                               `{"code":"A"} {"code":"B"}`,
		`{"x":{"y":{"z":[{"code":"A"}]}}}`:                          `{"code":"A"}`,
		`{"orders":[{"code":"A"}],"customers":[{"name":"ACME"}]}`:   `{"code":"A"}`,
		`{"data":[{"code":"A"}],"deleted":[{"code":"B"}]}`:          `{"code":"A"}`,
		`{"id":"request-7","list":[{"code":"A"}]}`:                  `{"code":"A"}`,
		`{"list":[{"uuid":"u","order":{"code":"A"}}]}`:              `{"code":"A","uuid":"u"}`,
		`{"uuid":"u","parts":[{"uuid":"p"}]}`:                       `{"uuid":"u","parts":[{"uuid":"p"}]}`,
		`{"order":{"code":"A"}}`:                                    `{"code":"A"}`,
		`{"list":[],"warnings":[{"text":"the list may be older"}]}`: ``,
	} {
		list, ok := tolerant.FindList(jsontext.Value(sent), orders)
		if got := records(list); !ok || got != want || list.Blank != "" {
			t.Errorf("%s: found %q, %t; want %q", sent, got, ok, want)
		}
	}
}

func TestAListThatWasNotSentIsNotEmpty(t *testing.T) {
	for _, sent := range []string{
		`{"a":{"b":{"c":{"d":{"e":[{"code":"A"}]}}}}}`,
		`{"first":[{"code":"A"}],"second":[{"code":"B"}]}`,
		`{"first":{"code":"A"},"second":{"code":"B"}}`,
		`{"errors":[]}`, `{"success":true}`, `7`, `"none"`, `[1,2]`,
	} {
		if list, ok := tolerant.FindList(jsontext.Value(sent), orders); ok {
			t.Errorf("%s: found %q", sent, records(list))
		}
	}
	for _, sent := range []string{`null`, `{}`, `{"data":null}`, `{"list":null}`} {
		if list, ok := tolerant.FindList(jsontext.Value(sent), orders); !ok || list.Blank == "" {
			t.Errorf("%s: found %q, which is not said to be blank", sent, records(list))
		}
	}
}

func TestARecordIsFoundIfOnlyOneObjectHasItsShape(t *testing.T) {
	anything := tolerant.Shape{Fields: map[string]bool{"permit": true}}
	for _, c := range []struct {
		sent, want string
		shape      tolerant.Shape
	}{
		{`{"code":"A"}`, `{"code":"A"}`, orders},
		{`{"result":{"code":"A"},"took":7}`, `{"code":"A"}`, orders},
		{`[{"code":"A"}]`, `{"code":"A"}`, orders},
		{`{"order":{"code":"A"},"parts":[{"uuid":"p"}]}`, `{"code":"A","parts":[{"uuid":"p"}]}`, orders},
		{`{"a":{"code":"A"},"b":{"code":"B"}}`, ``, orders},
		{`[{"code":"A"},{"code":"B"}]`, ``, orders},
		{`{"success":true,"data":{"state":"granted"}}`, `{"state":"granted"}`, anything},
		{`{"permission":{"state":"granted"}}`, `{"state":"granted"}`, anything},
		{`{"permit":{"state":"granted"}}`, `{"permit":{"state":"granted"}}`, anything},
		{`{"success":true}`, ``, anything},
	} {
		record, ok := tolerant.FindRecord(jsontext.Value(c.sent), c.shape)
		if string(record) != c.want || ok != (c.want != "") {
			t.Errorf("%s: found %s, %t; want %s", c.sent, record, ok, c.want)
		}
	}
}

func TestAnAnswerWithAnEmptyRecordIsBlank(t *testing.T) {
	for sent, want := range map[string]bool{
		`null`: true, `[]`: true, `{}`: true, `{"data":null}`: true, `{"success":true,"data":{}}`: true, `{"permission":null}`: true,
		`{"data":{"state":"granted"}}`: false, `[{}]`: false, `7`: false, `{"a":1,"b":null}`: false, `{`: false,
	} {
		if got := tolerant.IsBlank([]byte(sent)); got != want {
			t.Errorf("%s: blank %t, want %t", sent, got, want)
		}
	}
}

func TestMembersAreAddedOnlyToAnObjectThatLacksThem(t *testing.T) {
	added := []tolerant.Member{{Name: "a", Value: jsontext.Value("1")}, {Name: `b"`, Value: jsontext.Value("[2]")}, {Name: "c"}}
	for sent, want := range map[string]string{
		`{"a":7}`:      `{"a":7,"b\"":[2]}`,
		"{\"x\":{}}\n": `{"x":{},"a":1,"b\"":[2]}`,
		`{"x":"}"}`:    `{"x":"}","a":1,"b\"":[2]}`,
		`{}`:           `{}`,
		`[{"x":"y"}]`:  `[{"x":"y"}]`,
	} {
		if got := string(tolerant.AddMembers(jsontext.Value(sent), added...)); got != want {
			t.Errorf("%s: %s, want %s", sent, got, want)
		}
	}
}

// FuzzAnswers reads any text as a list, as a record and as an error response. Everything found must be
// in the text, and each row must be either read or counted.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"success":true,"message":"","data":{"data":[{"code":"A"},7,{}],"nextCursor":"n","hasNextPage":true}}`,
		`{"a":{"b":[{"code":"A"}]},"errors":[{"field":"x","message":"y"}]}`, `{"order":{"code":"A"},"parts":[]}`, `[null]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := jsontext.Value(data)
		if !v.IsValid(tolerant.Syntax) {
			return
		}
		list, ok := tolerant.FindList(v, orders)
		if ok && len(list.Records) == 0 && list.Dropped > 0 {
			t.Errorf("%s: all rows were dropped and the list is said to be there", data)
		}
		for _, record := range list.Records {
			if !record.IsValid(tolerant.Syntax) {
				t.Errorf("%s: %s is not valid", data, record)
			}
		}
		record, ok := tolerant.FindRecord(v, orders)
		if ok && !record.IsValid(tolerant.Syntax) {
			t.Errorf("%s: %s is not valid", data, record)
		}
		tolerant.FindReason(v)
		_ = fmt.Sprint(tolerant.FindCSV(v), tolerant.IsBlank(v))
	})
}
