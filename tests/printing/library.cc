// Uses enough of the standard library to have thousands of classes, templates, nested types and methods in its debugging information.
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

int main()
{
	std::regex pattern("a+");
	std::map<std::string, std::vector<int>> ordered;
	std::unordered_map<std::string, std::function<int(int)>> hashed;
	std::variant<int, std::string> either = "x";
	std::optional<std::string> maybe;
	auto later = std::async([] { return 1; });

	std::cout << later.get() << ordered.size() << hashed.size() << std::regex_match("aaa", pattern) << either.index() << maybe.has_value();
}
