package config_test

import (
	"os/user"
	"testing"

	"github.com/adrg/xdg"

	"flightdesk/config"
)

func TestWithoutHOMETheHomeFolderOfTheUserIsUsed(t *testing.T) {
	u, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(xdg.Reload)
	t.Setenv("HOME", "")
	xdg.Reload()
	if dirs := config.SystemEnv().Dirs; dirs.Home != u.HomeDir {
		t.Errorf("%q, want %q", dirs.Home, u.HomeDir)
	}
}
