package server

import (
	"fmt"

	"flightdesk/api"
	"flightdesk/api/ops"
	"flightdesk/api/server/internal/store"
)

func (h *operationsHandlers) wireInvitation(i store.Invitation) ops.Invitation {
	return ops.Invitation{
		UUID: i.UUID, User: i.User, Code: h.domain.Invitations.CodeOf(i),
		CreatedAt: api.TimeOf(i.Created), WithdrawnAt: api.TimeOf(i.Withdrawn),
	}
}

func (h *operationsHandlers) listInvitations(x *exchange) (handlerAnswer, error) {
	list := shownList{"ops/invitations", api.DefaultPageLimit, "invitations, newest first"}
	return answerList(h.handlerBase, x, list, 0, h.wireInvitation)
}

// invite creates an invitation for each user in the body.
func (h *operationsHandlers) invite(x *exchange, in *ops.InvitationInput) (handlerAnswer, error) {
	if len(in.Users) == 0 || len(in.Users) > ops.MaxInvited {
		return handlerAnswer{}, invalidMember("users", fmt.Sprintf("needs 1 to %d names", ops.MaxInvited))
	}
	for i, user := range in.Users {
		if !ops.IsUserName(user) {
			return handlerAnswer{}, invalidMember(
				fmt.Sprintf("users[%d]", i), "needs up to 32 lower-case letters, digits, dots and dashes",
			)
		}
	}
	made, err := h.domain.Invitations.Invite(x.r.Context(), in.Users)
	wire := ops.Invitations{Invitations: []ops.Invitation{}}
	for _, i := range made {
		wire.Invitations = append(wire.Invitations, h.wireInvitation(i))
	}
	return answerWith("the invitations", wire, err)
}

func (h *operationsHandlers) withdrawInvitation(x *exchange, _ *noBody) (handlerAnswer, error) {
	i, err := h.domain.Invitations.Withdraw(x.r.Context(), x.uuid())
	return answerWith("invitation of "+i.User+" withdrawn", h.wireInvitation(i), err)
}
