package operations_test

import (
	"testing"
	"time"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/tui/apptest"
)

func TestAnOperatorIsAddedRotatedAndRevoked(t *testing.T) {
	d, opsClient := apptest.OpenOperations(t, 200, 36)
	d.Press("]", "]", "]", "]")
	d.RequireText("[Users]", "No users yet.")
	d.Press("n")
	d.RequireText("Add user", "Operate", "The key is shown once.")
	d.Type("Ida Holm")
	d.Press("enter")
	d.Advance(time.Second)
	d.RequireText("New key", "fd_op_", "Anyone with it can act as")
	d.Press("c", "esc")
	d.SeesNot("fd_op_")
	d.RequireText("Ida Holm", "Operate", "Active")
	d.Press("g", "K")
	d.RequireText("Replace key", "Overlap")
	d.Press("enter")
	d.Advance(time.Second)
	d.RequireText("New key", "fd_op_")
	d.Press("c", "esc", "g", "delete")
	d.RequireText("Revoke user", "rejected from now on")
	d.Type("Ida Holm")
	d.Press("enter")
	d.RequireText("Key of Ida Holm revoked", "Revoked")
	d.Press("g", "K")
	d.RequireText("Ida Holm is already revoked")
	all, err := opsClient.Operators.List(t.Context(), api.ListOptions{})
	if err != nil || len(all.Items) != 1 || all.Items[0].Role != ops.RoleOperate || all.Items[0].RevokedAt.IsZero() {
		t.Errorf("%+v, %v", all, err)
	}

	d.Press("]")
	d.RequireText("[Audit trail]", "POST /operators/{uuid}/revoke", "POST /operators/{uuid}/rotate", "operations key", "Change")
	d.Press("g", "enter")
	d.RequireText("Subject", all.Items[0].UUID[:23], "Request ID")
}
