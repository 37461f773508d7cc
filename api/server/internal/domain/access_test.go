package domain_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/domain"
	"flightdesk/api/server/internal/store"
)

func TestKeysExpireExactlyOnTime(t *testing.T) {
	d, c := open(t)
	ctx := t.Context()
	zone := time.FixedZone("", 3600)
	expires := noon.Add(time.Hour).In(zone)
	key, record, err := d.Accounts.IssueKey(ctx, c.Account.UUID, domain.KeySpec{Scopes: api.Scopes(), Description: "D", Expires: expires})
	if err != nil {
		t.Fatal(err)
	}
	got, err := domain.Find[store.Key](ctx, d, record.UUID, "no key")
	if err != nil || got.Description != "D" || !got.Expires.Equal(expires) || got.ExpiresZone != 3600 || !got.Created.Equal(noon) || !got.Revoked.IsZero() {
		t.Errorf("kept as %+v, %v", got, err)
	}
	if _, err := domain.Find[store.Key](ctx, d, "none", "no key"); codeOf(err) != api.CodeNotFound || err.Error() != "no key" {
		t.Errorf("no key: %v", err)
	}
	forever, _, err := d.Accounts.IssueKey(ctx, c.Account.UUID, domain.KeySpec{Scopes: api.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	given := domain.NewKey()
	if made, _, err := d.Accounts.IssueKey(ctx, c.Account.UUID, domain.KeySpec{Key: given, Scopes: api.Scopes()}); err != nil || made != given {
		t.Errorf("the key that was given is %q, %v", made, err)
	}
	authenticate := func(key string, at time.Time) api.ErrorCode {
		t.Helper()
		d.Now = func() time.Time { return at }
		who, err := d.Accounts.Authenticate(ctx, key)
		if err == nil && who.Account.UUID != c.Account.UUID {
			t.Errorf("%s stands for %+v", key, who)
		}
		return codeOf(err)
	}
	for _, try := range []struct {
		key  string
		at   time.Time
		want api.ErrorCode
	}{
		{key, expires.Add(-time.Millisecond), ""},
		{key, expires, api.CodeKeyExpired},
		{forever, noon.AddDate(50, 0, 0), ""},
		{"", noon, api.CodeUnauthenticated},
		{key[:len(key)-1], noon, api.CodeUnauthenticated},
		{key[:len(key)-1] + "-", noon, api.CodeUnauthenticated},
		{domain.NewKey(), noon, api.CodeUnauthenticated},
	} {
		if code := authenticate(try.key, try.at); code != try.want {
			t.Errorf("%q at %v: %q", try.key, try.at, code)
		}
	}
	if code := authenticate(key, noon); code != "" {
		t.Errorf("before it is revoked: %s", code)
	}
	for i := range 2 { // the second time changes nothing
		d.Now = func() time.Time { return noon.Add(time.Duration(i) * time.Second) }
		if k, err := d.Accounts.RevokeKey(ctx, record.UUID); err != nil || !k.Revoked.Equal(noon) {
			t.Errorf("revoked as %+v, %v", k, err)
		}
	}
	if code := authenticate(key, noon); code != api.CodeKeyRevoked {
		t.Errorf("once it is revoked: %q", code)
	}
}

func TestKeyRequestsAreDecidedOnce(t *testing.T) {
	d, c := open(t)
	ctx := t.Context()
	scopes := []api.Scope{api.ScopeFilesRead}
	d.Now = func() time.Time { return noon.Add(999) }
	ask := func() store.KeyRequest {
		t.Helper()
		r, err := d.Accounts.RequestKey(ctx, c.Account, "reports", scopes)
		if err != nil || r.Status != ops.KeyRequestPending || !r.Created.Equal(noon) || r.AccountUUID != c.Account.UUID {
			t.Fatalf("%+v, %v", r, err)
		}
		return r
	}
	yes := ask()
	no := ask()
	d.Now = func() time.Time { return noon.Add(time.Minute) }
	key, record, err := d.Accounts.ApproveKey(ctx, yes.UUID)
	if err != nil || record.Description != "reports" || !slices.Equal(record.Scopes, scopes) {
		t.Fatalf("approved as %+v, %v", record, err)
	}
	if who, err := d.Accounts.Authenticate(ctx, key); err != nil || who.KeyUUID != record.UUID {
		t.Errorf("%+v, %v", who, err)
	}
	if r, err := d.Accounts.DeclineKey(ctx, no.UUID, "too many"); err != nil || r.Status != ops.KeyRequestDeclined {
		t.Errorf("%+v, %v", r, err)
	}
	page, err := domain.List[store.KeyRequest](ctx, d, 0, store.ListWindow{})
	if err != nil || len(page.Items) != 2 {
		t.Fatalf("%+v, %v", page, err)
	}
	declined := page.Items[0]
	approved := page.Items[1]
	if approved.Status != ops.KeyRequestApproved || approved.KeyID == nil || *approved.KeyID != record.ID || !approved.Decided.Equal(d.Now()) || approved.Reason != nil {
		t.Errorf("approved is kept as %+v", approved)
	}
	if declined.Status != ops.KeyRequestDeclined || declined.KeyID != nil || *declined.Reason != "too many" || !declined.Decided.Equal(d.Now()) {
		t.Errorf("declined is kept as %+v", declined)
	}
	for uuid, want := range map[string]api.ErrorCode{yes.UUID: api.CodeConflict, no.UUID: api.CodeConflict, "none": api.CodeNotFound} {
		key, _, err := d.Accounts.ApproveKey(ctx, uuid)
		_, derr := d.Accounts.DeclineKey(ctx, uuid, "")
		if codeOf(err) != want || codeOf(derr) != want || key != "" {
			t.Errorf("once more: %q, %v, %v", key, err, derr)
		}
	}
}

func TestAccountsChangeOnlyGivenFields(t *testing.T) {
	d, c := open(t)
	name := "Ann"
	mail := "ann@a.example"
	currency := "JPY"
	for _, change := range []ops.AccountChange{{ClientName: &name}, {ClientEmail: &mail}, {Currency: &currency}} {
		if _, err := d.Accounts.Change(t.Context(), c.Account.UUID, change); err != nil {
			t.Fatal(err)
		}
	}
	a, err := d.Accounts.Find(t.Context(), c.Account.UUID)
	if err != nil || a.ClientName != name || a.ClientEmail != mail || a.Currency != currency || a.CompanyName != c.Account.CompanyName || !a.Created.Equal(noon) {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := d.Accounts.Change(t.Context(), "none", ops.AccountChange{}); codeOf(err) != api.CodeNotFound {
		t.Errorf("nobody's: %v", err)
	}
	if a, err := d.Accounts.NewAccount(t.Context(), store.Account{UUID: "given"}); err != nil || a.UUID != "given" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestRotatedOperatorKeysOverlap(t *testing.T) {
	d, _ := open(t)
	ctx := t.Context()
	first, o, err := d.Operators.Add(ctx, "Olga", ops.RoleOperate)
	if err != nil || !strings.HasPrefix(first, "fd_op_") || o.Hint != first[len(first)-4:] || o.Role != ops.RoleOperate {
		t.Fatalf("%q, %+v, %v", first, o, err)
	}
	for _, name := range []string{"Olga", ops.OperationsKey} {
		if _, _, err := d.Operators.Add(ctx, name, ops.RoleOperate); codeOf(err) != api.CodeConflict {
			t.Errorf("one more %s: %v", name, err)
		}
	}
	second, o, err := d.Operators.Rotate(ctx, o.UUID, time.Hour)
	if err != nil || second == first || o.Hint != second[len(second)-4:] {
		t.Fatalf("%q, %+v, %v", second, o, err)
	}
	holds := func(key string, after time.Duration) bool {
		t.Helper()
		d.Now = func() time.Time { return noon.Add(after) }
		who, err := d.Operators.Authenticate(ctx, key)
		if err == nil && who.UUID != o.UUID || err != nil && codeOf(err) != api.CodeUnauthenticated {
			t.Errorf("%+v, %v", who, err)
		}
		return err == nil
	}
	for what, try := range map[string]struct {
		key   string
		after time.Duration
		want  bool
	}{
		"the new key":            {second, 50 * time.Hour, true},
		"the old key":            {first, time.Hour - time.Millisecond, true},
		"the old key at its end": {first, time.Hour, false},
		"a client's key":         {domain.NewKey(), 0, false},
		"another key":            {first + "A", 0, false},
	} {
		if holds(try.key, try.after) != try.want {
			t.Errorf("%s is not taken as it should be", what)
		}
	}
	holds(second, 0)
	third, _, err := d.Operators.Rotate(ctx, o.UUID, 0)
	if err != nil || holds(second, 0) || holds(first, 0) || !holds(third, 0) {
		t.Errorf("after a rotation without an overlap: %v", err)
	}
	if _, _, err := d.Operators.Rotate(ctx, o.UUID, time.Hour); err != nil {
		t.Fatal(err)
	}
	for i := range 2 { // the second time changes nothing
		d.Now = func() time.Time { return noon.Add(time.Duration(i) * time.Second) }
		if o, err := d.Operators.Revoke(ctx, o.UUID); err != nil || !o.Revoked.Equal(noon) || !o.OldUntil.IsZero() {
			t.Errorf("revoked as %+v, %v", o, err)
		}
	}
	if holds(third, 0) {
		t.Error("a revoked operator's old key is taken")
	}
	if _, _, err := d.Operators.Rotate(ctx, o.UUID, 0); codeOf(err) != api.CodeConflict {
		t.Errorf("rotating a revoked one: %v", err)
	}
	if _, err := d.Operators.Revoke(ctx, "none"); codeOf(err) != api.CodeNotFound {
		t.Errorf("revoking nobody: %v", err)
	}
	if _, again, err := d.Operators.Add(ctx, "Olga", ops.RoleOperate); err != nil || again.UUID == o.UUID {
		t.Errorf("the name of one that is revoked: %+v, %v", again, err)
	}
	entry := store.AuditEntry{Created: noon, Operator: "Olga", Operation: "GET /x"}
	if err := d.Operators.Record(ctx, &entry); err != nil || entry.ID == 0 {
		t.Errorf("recorded %+v, %v", entry, err)
	}
	if all, err := d.Store.AuditAfter(ctx, 0, 10); err != nil || len(all) != 1 || all[0].Operation != "GET /x" {
		t.Errorf("the trail is %+v, %v", all, err)
	}
}

// UUIDs created later sort after earlier ones (RFC 9562).
func TestIDsBeginWithTheirTime(t *testing.T) {
	for at, want := range map[time.Time]string{
		time.UnixMilli(0x017F22E279B0): "017f22e2-79b0-7fff-bfff-ffffffffffff",
		time.UnixMilli(1):              "00000000-0001-7fff-bfff-ffffffffffff",
	} {
		all := [16]byte(slices.Repeat([]byte{0xff}, 16))
		if id := domain.FormUUID(at, all); id != want {
			t.Errorf("%v is %s, not %s", at, id, want)
		}
	}
}
