package theme

// ShellTheme returns the theme of what is printed among other programs' lines: the
// terminal's own colours, which suit its background, whatever that is. Blue is
// the bright one: the other can hardly be read on black in many palettes.
func ShellTheme() *Theme {
	return buildTheme("shell", Tokens{Roles: parseColors("", "8", "6", "12", "3", "5", "2", "1")})
}
